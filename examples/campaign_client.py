"""Answer a campaign of k-RR: python examples/campaign_client.py http://127.0.0.1:8501/join/ID 1"""

import json
import os
import sys
import urllib.request

from rlm_core import release
from rlm_core.baselines import LabelMechanism

link, answer = sys.argv[1], int(sys.argv[2])
api = link.replace("/join/", "/api/campaigns/")
about = json.load(urllib.request.urlopen(api))
mechanism = LabelMechanism(epsilon=about["epsilon"], classes=about["symbols"])
report = release([answer], mechanism=mechanism).to_json()  # once: do not draw again
body = f'{{"nonce":"{os.urandom(16).hex()}","report":{report}}}'.encode()
request = urllib.request.Request(f"{api}/reports", body, {"content-type": "application/json"})
print(urllib.request.urlopen(request).status, report)
