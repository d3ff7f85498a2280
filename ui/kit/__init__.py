"""Small parts that every page may use and that know no page: colours, HTML, SVG, charts, words."""
