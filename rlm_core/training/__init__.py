"""How mechanisms are learnt. Everything here runs before any data are collected.

presets.py             one preset for each mechanism; paper_settings.py: the paper's hyper-parameters
features_share.py      λ, by the rule that experiments and pages share
train_mechanism.py     preset and seed to a run folder, whatever the kind; __main__.py: the command line
rows.py, noise.py      the rows of a preset; Laplace noise for training (simulation only)
vrlm/                  elbo.py: the V-RLM's objective; train_vrlm.py: build and train one
crlm/                  nt_xent.py: the C-RLM's objective; train_crlm.py: build and train one, and its picture decoder;
                       views.py, neighbours.py, features.py, picture_source.py: pairs of views of pictures
codes/                 the Q-RLM: an embedding, codes in it, and the tree that merges them
dp/                    dp_adam.py: a step of the loop that keeps central DP; accountant.py: what it spends;
                       private_vrlm.py, private_crlm.py: mechanisms trained with it

The loop itself is ``rlm_core.learning``, which the collector uses as well.
"""
