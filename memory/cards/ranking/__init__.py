"""Ranking: pure functions over one person's words and vectors. No database, no model, no clock.

question   a question taken apart: words in all their forms, names, dates
shelf      one layer of a store in arrays: the cards, or the turns
cards      what each card shows for a question
turns      what each turn shows, and what it gains from the talk around it
fusion     several angles to one list; reasons; the rule of relevance
weights    every weight, in one place
"""
