package tokens

import "unicode/utf8"

// splitO200K is the splitter of o200k_base:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+|\s+(?!\S)|\s+
//
// The first alternative that matches is used.
func splitO200K(text string) int {
	first, size := classAt(text)
	if first&(digit|newline) == 0 {
		if end := prefixedWord(text, first, size); end > 0 {
			return contraction(text, end)
		}
	}
	if end := digits(text); end > 0 {
		return end
	}
	if end := punctuation(text, "\r\n/"); end > 0 {
		return end
	}
	return whitespace(text)
}

// prefixedWord matches the two word alternatives without the contraction and returns the end, or 0.
// first and size are the class and the length of the first rune of text. That rune becomes part of the
// word even if it is not a letter, for example a space.
func prefixedWord(text string, first class, size int) int {
	if first&letter != 0 {
		if end := mixedWord(text, 0); end > 0 {
			return end
		}
		return skip(text, size, upper)
	}
	if end := mixedWord(text, size); end > 0 {
		return end
	}
	if end := mixedWord(text, 0); end > 0 {
		return end
	}
	// This is the second alternative with the prefix rune. Without that rune, only a mark could begin
	// the word, and mixedWord(text, 0) has already matched marks.
	if end := skip(text, size, upper); end > size {
		return end
	}
	return 0
}

// mixedWord matches upper*lower+ at start and returns its end, or 0. The classes overlap. If no lower
// rune follows the run of upper, the word ends after the last rune of the run that is also lower.
func mixedWord(text string, start int) int {
	uppers := skip(text, start, upper)
	if end := skip(text, uppers, lower); end > uppers {
		return end
	}
	for end := uppers; end > start; {
		r, size := utf8.DecodeLastRuneInString(text[start:end])
		if classOf(r)&lower != 0 {
			return end
		}
		end -= size
	}
	return 0
}
