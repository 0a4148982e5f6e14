"""41 and 400 tell themselves: scenes, choices, sentences, lessons and summaries of a deal."""
