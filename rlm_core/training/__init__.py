"""How mechanisms are learnt. Everything here runs before any data are collected.

loop.py         the one loop; batches.py: rows in memory
elbo.py         V-RLM objective          vrlm.py: build and train one
nt_xent.py      C-RLM objective          crlm.py: build and train one, and its picture decoder
dp_adam.py      a step of the loop that keeps central DP; accountant.py: what it spends
two_stage.py    V-RLM under central DP   private_crlm.py: C-RLM under central DP
noise.py        Laplace noise for training (simulation only)
views.py        two views of each picture; features.py: cached features of views
paper.py        the paper's hyper-parameters; presets.py: one preset for each mechanism
sources.py, picture_source.py    the rows of a preset
run.py          preset and seed to a run folder; __main__.py: the command line
"""
