"""What the owner's side in a browser (``static/device``) needs from here.

::

    description.py   what a device must know of a mechanism: public numbers, and where its weights are
    owner_file.py    one HTML file that holds a mechanism whole and works from disk, offline
"""
