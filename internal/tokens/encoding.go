package tokens

import "strings"

// Encoding is the name of a way to convert text to tokens: a vocabulary together with a pattern that
// cuts text into pieces.
type Encoding string

// The encodings of the models in use today.
const (
	// O200K is the encoding of gpt-4o and later models.
	O200K Encoding = "o200k_base"
	// CL100K is the encoding of gpt-4, gpt-3.5-turbo and the embedding models.
	CL100K Encoding = "cl100k_base"
)

// cl100kFamilies lists the models that use CL100K. A model has such a name, or the name followed by
// a hyphen and a variant: gpt-4-turbo belongs to gpt-4, but gpt-4o does not.
var cl100kFamilies = []string{"gpt-4", "gpt-3.5-turbo", "gpt-35-turbo", "text-embedding"}

// EncodingFor returns the encoding of a model. It ignores a provider prefix ("openai/"), the mark
// of a fine-tuned model ("ft:") and a suffix after a colon. For an unknown model it returns O200K,
// and Calibration corrects the estimate (D-09).
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
