// Package tokens counts the tokens of a text in the encodings of OpenAI's models, without the network
// and in linear time. The counts equal those of EncodeOrdinary in tiktoken-go, with which the tests
// compare them. The program does not use tiktoken-go, because its time grows with the square of the
// longest run: it takes 51 seconds for 256 KiB of one letter.
//
// For returns the Counter of an encoding, and EncodingFor the encoding of a model:
//
//	n := tokens.NewCounter(tokens.EncodingFor(model)).Count(text)
//
// # The algorithm
//
// An encoding is a pattern and a list of tokens. The pattern cuts the text into pieces, which are
// mostly words with the space before them (split.go). The tokens are byte sequences in the order of
// their ranks: first all single bytes, then the sequences that occur most often. A piece that is a
// token counts as one. Any other piece is merged (merge.go). It begins with as many parts as it has
// bytes. As long as two neighboring parts together are a token, the pair of the lowest rank becomes one
// part. Of pairs with equal ranks, the leftmost is merged. The remaining parts are the tokens of the
// piece:
//
//	text     " unmerged"           one piece, but not a token of o200k_base
//	parts    ␣ u n m e r g e d     of all pairs here "er" has the lowest rank
//	         ␣ u n m er g e d      then "ed"
//	         ␣ u n m er g ed       then " u"
//	         ␣u n m er g ed        then " un", "mer", "ged", "merged"
//	         ␣un merged            " unmerged" is no token: 2
//
// # Speed
//
// The patterns are implemented as Go code. Nine of ten pieces of source code are tokens, which one
// lookup in a compact hash table finds (ranks.go). The others, up to megabytes of one letter, are merged
// with a heap (merge.go) in windows of a few kilobytes (merge_windowed.go). The sizes of recent long
// texts are cached, because several parts of the program count the same text (recent.go).
//
// # Vocabulary and estimates
//
// The vocabularies are compiled into the program as hash tables, so that nothing is loaded (ranks.go).
// The models of other makers have other tokens, so Calibration corrects counts by the latest report of
// the provider (D-09).
package tokens
