"""Hands as pages: an HTML file that shows hands, and verifies them in any browser."""
