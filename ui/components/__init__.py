"""Own browser components: the canvas to draw on, the live digit, inline drawings. No code from another host."""
