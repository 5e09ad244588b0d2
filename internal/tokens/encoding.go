package tokens

import "strings"

// Encoding names a way of turning text into tokens: a vocabulary together with
// the pattern that splits text into pieces.
type Encoding string

// The encodings of the models in use today.
const (
	// O200K belongs to gpt-4o and everything after it.
	O200K Encoding = "o200k_base"
	// CL100K belongs to gpt-4, gpt-3.5-turbo and the embedding models.
	CL100K Encoding = "cl100k_base"
)

// cl100kFamilies are the models that use CL100K: each by its name or by its name,
// a hyphen and a variant, so that gpt-4 and gpt-4-turbo are meant, not gpt-4o.
var cl100kFamilies = []string{"gpt-4", "gpt-3.5-turbo", "gpt-35-turbo", "text-embedding"}

// EncodingFor returns the encoding of a model. It ignores a provider prefix ("openai/"), the
// mark of a fine-tuned model ("ft:") and a suffix behind a colon. An unknown model gets O200K;
// Calibration corrects the estimate (D-09).
func EncodingFor(model string) Encoding {
	name := strings.ToLower(model)
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = strings.TrimPrefix(name, "ft:")
	name, _, _ = strings.Cut(name, ":")
	for _, family := range cl100kFamilies {
		if name == family || strings.HasPrefix(name, family+"-") {
			return CL100K
		}
	}
	return O200K
}
