package mcp

// This file defines unescape, the last step of every outgoing line.

import "bytes"

// unescape writes the characters <, > and & plainly where encoding/json has escaped them. The SDK marshals results with HTML
// escapes, and hosts that show the raw line to a model would have it read `\u003cdiv\u003e`. A backslash that is itself
// escaped is left alone, so the text `\u003c` stays what it was. p is rewritten in place, as the result is never longer.
func unescape(p []byte) []byte {
	at := bytes.IndexByte(p, '\\')
	if at < 0 {
		return p
	}
	out := p[:at]
	for i := at; i < len(p); {
		if p[i] != '\\' || i+1 == len(p) {
			out = append(out, p[i])
			i++
			continue
		}
		if i+6 <= len(p) && p[i+1] == 'u' {
			if c := plain(p[i+2 : i+6]); c != 0 {
				out = append(out, c)
				i += 6
				continue
			}
		}
		out = append(out, p[i], p[i+1])
		i += 2
	}
	return out
}

func plain(hex []byte) byte {
	switch string(hex) {
	case "003c":
		return '<'
	case "003e":
		return '>'
	case "0026":
		return '&'
	}
	return 0
}
