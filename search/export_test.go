package search

// OwnQuote returns what a quote is to the text that it is pinned to, "" where that has it not.
func OwnQuote(text, quote string) string {
	j := &quoteJudge{vocabulary: vocabulary{}}
	return j.own(j.newWording(text), quote)
}

// Closest returns how many words the quote differs by from what a text says, and the words in which it says that.
func Closest(quote, text string) (distance, words int) {
	v := vocabulary{}
	q, t := v.newWording(quote).words, v.newWording(text).words
	start, end, d := closest(q, t, len(q))
	return d, end - start
}
