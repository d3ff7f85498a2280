"""Learning the codes of a Q-RLM: from auxiliary data D₁, without any label.

    x ─trunk─▶ features ─head─▶ 64 scores ─argmax─▶ fine code ─merge─▶ one of k codes

1. ``views``      two records that should share a code: two distorted copies of a digit, a picture
                  and one of its nearest neighbours, a loan and a copy with some columns replaced.
2. ``objective``  codes that tell as much as possible about the code of the other view: mutual
                  information, with a contrastive term that keeps the features apart.
3. ``hierarchy``  merge the two codes whose union loses least of that information, again and again:
                  from 64 codes to any k, one tree for all of them.
4. ``choice``     how many codes an ε and n reports can bear, known before anything is collected.

Train with ``python -m rlm_core.quantised mnist --seed 0``. The channel that releases a code is
``rlm_core.owner.subset_selection``, the collector's side ``rlm_core.collector.codes``.
"""
