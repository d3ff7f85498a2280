"""The page that collects from real people: make a campaign, put its code on the wall, watch the estimate."""
