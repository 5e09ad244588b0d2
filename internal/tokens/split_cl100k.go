package tokens

// splitCL100K is the splitter of cl100k_base:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
//	[^\r\n\p{L}\p{N}]?\p{L}+
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n]*
//	\s*[\r\n]+|\s+(?!\S)|\s+
//
// The first alternative that matches is used.
func splitCL100K(text string) int {
	if end := contraction(text, 0); end > 0 {
		return end
	}
	first, size := classAt(text)
	if first&letter != 0 {
		return skip(text, size, letter)
	}
	if first&(digit|newline) == 0 {
		if end := skip(text, size, letter); end > size {
			return end
		}
	}
	if end := digits(text); end > 0 {
		return end
	}
	if end := punctuation(text, "\r\n"); end > 0 {
		return end
	}
	return whitespace(text)
}
