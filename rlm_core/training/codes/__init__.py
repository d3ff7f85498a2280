"""Learning the codes of a Q-RLM: from auxiliary data D₁, without any label.

    x ─trunk─▶ embedding ─nearest of 96 centres─▶ fine code ─merge─▶ one of k codes

1. ``views``      two records that should be neighbours: two distorted copies of a digit, a picture
                  and one of its nearest neighbours, two copies of a loan with some columns replaced.
2. ``train``      an embedding in which they are, and other records are not (NT-Xent), and k-means
                  in it: the fine codes. Both together are one small network, one forward pass.
3. ``hierarchy``  merge the two codes whose union loses least information about the code of the other
                  view, again and again: from 96 codes to any k, one tree for all of them.
4. ``choice``     how many codes an ε and n reports can bear, known before anything is collected.

Train with ``rlm train mnist-qrlm --seed 0``. The channel that releases a code is
``rlm_core.owner.subset_selection``, the collector's side ``rlm_core.collector.codes``.
"""
