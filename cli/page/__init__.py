"""A hand as a page: one HTML file that shows it, and verifies it in any browser."""
