package search

// This file defines the distance of wordings: how many words of a quote differ from what a text says, and where it says it.

// closest returns the range of words in text that differs least from the quote, and by how many words that are left out, put in or
// replaced; where that is more than most, it returns a distance above most. It is Myers' bit-parallel search in Hyyrö's blocks: each
// word of the text costs one step for 64 words of the quote.
func closest(quote, text []said, most int) (start, end, distance int) {
	if distance = len(quote) - common(quote, text); distance > most || len(quote) == 0 {
		return 0, 0, distance
	}
	distance = len(quote) // nothing of it is there
	least := 0
	scan(quote, text, false, func(at, d int) bool {
		switch {
		case d < distance:
			distance, end, least = d, at, at
		case d == distance && at == end+1 && at-least <= distance: // its last words are replaced, not left out
			end = at
		}
		return distance > 0
	})
	if distance > most {
		return 0, 0, distance
	}
	// Where it begins: read both backwards from that end, until as few differ.
	back := 0
	least = 0
	scan(backwards(quote), backwards(text[max(0, end-len(quote)-distance):end]), true, func(at, d int) bool {
		switch {
		case d == distance && back == 0:
			back, least = at, at
		case d == distance && at == back+1 && at-least <= distance:
			back = at
		}
		return back == 0 || at == back && distance > 0
	})
	return end - back, end, distance
}

// common returns how many words of the quote the text has too, in whatever order.
func common(quote, text []said) int {
	left := make(map[int32]int, len(quote))
	for _, w := range quote {
		left[w.id]++
	}
	n := 0
	for _, w := range text {
		if left[w.id] > 0 {
			left[w.id]--
			n++
		}
	}
	return n
}

func backwards(words []said) []said {
	out := make([]said, len(words))
	for i, w := range words {
		out[len(out)-1-i] = w
	}
	return out
}

// scan tells visit for each place in text by how many words the quote differs from the best range that ends there, or from all that is
// before it where it is anchored, until visit has heard enough.
func scan(quote, text []said, anchored bool, visit func(at, distance int) bool) {
	const width = 64
	blocks := (len(quote) + width - 1) / width
	equal := map[int32][]uint64{}
	for i, w := range quote {
		if equal[w.id] == nil {
			equal[w.id] = make([]uint64, blocks)
		}
		equal[w.id][i/width] |= 1 << (i % width)
	}
	none := make([]uint64, blocks)
	more, less := make([]uint64, blocks), make([]uint64, blocks) // where the distance rises, or falls, from one word of the quote to the next
	for i := range more {
		more[i] = ^uint64(0)
	}
	last := uint64(1) << ((len(quote) - 1) % width)
	distance := len(quote)
	for at, w := range text {
		eqs, ok := equal[w.id]
		if !ok {
			eqs = none
		}
		carry := 0
		if anchored {
			carry = 1
		}
		for i, eq := range eqs {
			top := uint64(1) << (width - 1)
			if i == blocks-1 {
				top = last
			}
			vertical := eq | less[i]
			if carry < 0 {
				eq |= 1
			}
			across := ((eq & more[i]) + more[i]) ^ more[i] | eq
			up := less[i] | ^(across | more[i])
			down := more[i] & across
			out := 0
			if up&top != 0 {
				out = 1
			} else if down&top != 0 {
				out = -1
			}
			up, down = up<<1, down<<1
			if carry > 0 {
				up |= 1
			} else if carry < 0 {
				down |= 1
			}
			more[i] = down | ^(vertical | up)
			less[i] = up & vertical
			carry = out
		}
		distance += carry
		if !visit(at+1, distance) {
			return
		}
	}
}

// longest returns how many words at the beginning of the quote a text says just so, and where it says the most of them first.
func longest(quote, text []said) (at, n int) {
	for i := range text {
		k := 0
		for k < len(quote) && i+k < len(text) && quote[k].id == text[i+k].id && (k == 0 || quote[k].gap == text[i+k].gap) {
			k++
		}
		if k > n {
			at, n = i, k
		}
	}
	return at, n
}

// longestBack is longest from the end; at is where it ends in the text.
func longestBack(quote, text []said) (at, n int) {
	for i := len(text); i > 0; i-- {
		k := 0
		for k < len(quote) && k < i {
			q, t := len(quote)-1-k, i-1-k
			if quote[q].id != text[t].id || k > 0 && quote[q+1].gap != text[t+1].gap {
				break
			}
			k++
		}
		if k > n {
			at, n = i, k
		}
	}
	return at, n
}
