"""What every address of the server shares, below the app: who may ask, what each answer says, and the device's files.

Knows Starlette and the library; knows neither Streamlit nor the app nor campaigns. ``serve.py`` puts it together.
"""
