"""What Streamlit does not have: a folder a component, each with its script and its look. They know no page."""
