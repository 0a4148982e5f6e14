"""304 tells itself: scenes, choices, sentences, lessons, refusals and summaries of a hand."""
