// Package tokens counts the tokens of a text as OpenAI's models see it, without
// the network and in time linear to the text. The counts equal those of
// tiktoken-go's EncodeOrdinary, which serves as oracle in the tests; it is not used
// itself because its time grows with the square of the longest run: 51 seconds for
// 256 KiB of one letter.
//
// # The algorithm
//
// An encoding is a pattern and a list of tokens. The pattern cuts the text into
// pieces, words with the space before them more or less (split.go). The tokens are
// byte sequences in the order of their ranks: all single bytes, then the sequences
// that were most worth a token of their own. A piece that is a token counts one.
// Any other piece is merged (merge.go): it begins in as many parts as it has bytes,
// and as long as two neighbours make a token, the two that make the one of lowest
// rank become one part; of equal ones the leftmost. What is left is the answer:
//
//	text     " unmerged"           one piece, but not a token of o200k_base
//	parts    ␣ u n m e r g e d     of all pairs here "er" has the lowest rank
//	         ␣ u n m er g e d      then "ed"
//	         ␣ u n m er g ed       then " u"
//	         ␣u n m er g ed        then " un", "mer", "ged", "merged"
//	         ␣un merged            " unmerged" is no token: 2
//
// # What makes it fast
//
// The patterns are written out by hand, and nine of ten pieces of source code are
// tokens, found by one look into a compact hash table (ranks.go). Short
// pieces are merged by walking over the pairs. Long ones, up to megabytes of one
// letter, are merged with a heap (merge_long.go) in windows of a few kilobytes
// (merge_windowed.go).
//
// # Vocabulary and estimates
//
// The vocabularies are compiled into the program as hash tables, so that nothing is
// loaded (ranks.go). Other makers' models cut text differently, so Calibration corrects
// counts by what the provider last reported (D-09).
package tokens
