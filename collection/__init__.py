"""Collecting reports from real people: campaigns, the store that keeps them, the API that takes them.

    phone ── POST Report ──▶ api ──▶ intake (is it a report of this campaign?) ──▶ writer ──▶ store ──▶ 201
                                                                                  (many reports, one commit)

The collector's side of the picture in ``docs/architecture.md``: nothing here sees a record, and a
report is acknowledged only when it is on disk. Imports the library, never the app.
"""
