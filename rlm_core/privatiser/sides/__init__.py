"""What a fitted LocalPrivatiser does for each side of the wall.

fitted.py       what is known after fit, and the error before it
people.py       the people's side: a row to what may leave
collector.py    the collector's side: reports to a classifier, and what it says
"""
