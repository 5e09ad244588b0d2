package tokens

import _ "embed"

// The vocabularies as tables of ranks. TestVocabularyFiles generates them from the files of tiktoken.
var (
	//go:embed cl100k_base.ranks
	cl100kRanks string
	//go:embed o200k_base.ranks
	o200kRanks string
)

var (
	o200k  = Counter{enc: O200K, split: splitO200K, ranks: rankTable(o200kRanks)}
	cl100k = Counter{enc: CL100K, split: splitCL100K, ranks: rankTable(cl100kRanks)}
)

// NewCounter returns the counter of an encoding.
func NewCounter(enc Encoding) *Counter {
	if enc == CL100K {
		return &cl100k
	}
	return &o200k
}
