package tools

// bytesPerToken is what a token of text and code comes to, near enough to bound
// results without counting.
const bytesPerToken = 4

// OutputBytes is OutputTokens in bytes. A limit below 1 is none.
func (l Limits) OutputBytes() int { return atLeastOne(l.OutputTokens) * bytesPerToken }

// readLines is ReadLines. A limit below 1 is none.
func (l Limits) readLines() int { return atLeastOne(l.ReadLines) }

func atLeastOne(limit int) int {
	if limit < 1 {
		return 1 << 30
	}
	return limit
}
