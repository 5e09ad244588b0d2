package vendor

import (
	"slices"
	"strconv"
	"strings"

	"agent/internal/base/lazyregexp"
)

// Family is a family of models with the same requirements, whichever vendor serves them.
type Family struct {
	// Name is one of the names below.
	Name string
	// Patches is set if the models of the family are trained to edit by patches.
	Patches bool
	// Outlines is set if a model of the family solved the same tasks at a lower cost with outlines of
	// large files.
	Outlines bool

	// prefixes lists prefixes of the base names of the family's models.
	prefixes []string
	// is matches other base names of the family's models. It may be nil.
	is    *lazyregexp.Pattern
	wants Wants
}

// Other is the name of the family of all models that belong to no other family.
const Other = "other"

// families lists the families in the order in which they are tried. To add one, add a value.
var families = []Family{
	{Name: "gpt-oss", prefixes: []string{"gpt-oss"}, Patches: true},
	{Name: "gpt", Patches: true, is: lazyregexp.New(`^(?:codex|o[34](?:-|$)|gpt-(?:[5-9]|\d\d))`)},
	{Name: "claude", prefixes: []string{"claude"}, Outlines: true, wants: Wants{CacheMarks: true}},
	{Name: "gemini", prefixes: []string{"gemini", "gemma"}},
	{Name: "qwen", prefixes: []string{"qwen"}},
	{Name: "kimi", prefixes: []string{"kimi"}, wants: Wants{CallIDs: AnyIDs, Reasoning: ReasoningContent}},
	{Name: "glm", prefixes: []string{"glm-"}, wants: Wants{Reasoning: ReasoningContent}},
	{Name: "deepseek", prefixes: []string{"deepseek"}, wants: Wants{Reasoning: ReasoningContent}},
	{Name: "minimax", prefixes: []string{"minimax"}, wants: Wants{Reasoning: ReasoningContent}},
	{Name: "grok", prefixes: []string{"grok"}},
	{
		Name: "mistral", prefixes: []string{"mistral", "ministral", "magistral", "devstral", "codestral", "pixtral"},
		wants: Wants{CallIDs: NineIDs},
	},
}

// FamilyOf returns the family of a model, by its name.
func FamilyOf(model string) Family {
	name := BaseName(model)
	return familyWhere(func(f Family) bool { return f.holds(name) })
}

func familyWhere(is func(Family) bool) Family {
	if i := slices.IndexFunc(families, is); i >= 0 {
		return families[i]
	}
	return Family{Name: Other}
}

// FamilyNames returns the names of all families, Other last.
func FamilyNames() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.Name)
	}
	return append(names, Other)
}

// FamilyNamed returns the family with a name, or Other if the name is unknown.
func FamilyNamed(name string) Family {
	return familyWhere(func(f Family) bool { return f.Name == name })
}

// Guess returns the family of a model at a host, and the reason: the model's name, a part of the name
// (gateways and clouds add prefixes), or a vendor that serves only its own models.
func Guess(host, model string) (family Family, why string) {
	name := BaseName(model)
	if f := FamilyOf(name); f.Name != Other {
		return f, "from its name"
	}
	for i, r := range name {
		if !strings.ContainsRune("-_:@", r) {
			continue
		}
		if f := FamilyOf(name[i+1:]); f.Name != Other {
			return f, "from " + strconv.Quote(name[i+1:]) + " in its name"
		}
	}
	if v := at(host); v.serves != "" {
		return FamilyNamed(v.serves), "from its vendor, " + v.Title
	}
	return Family{Name: Other}, "unknown model name"
}

func (f Family) holds(name string) bool {
	if f.is != nil && f.is.MatchString(name) && !strings.Contains(name, "-image") {
		return true
	}
	return slices.ContainsFunc(f.prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// BaseName returns a model's name in a common form: without the prefix of a router or owner, in lower
// case, and with dashes instead of dots. For "anthropic/claude-opus-4.6" it is "claude-opus-4-6".
func BaseName(model string) string {
	name := model[strings.LastIndex(model, "/")+1:]
	return strings.ReplaceAll(strings.ToLower(name), ".", "-")
}

// openAIModel matches the BaseName of a model of OpenAI. Its groups are the generation.
var openAIModel = lazyregexp.New(`^(?:o\d|gpt-(\d+)(?:-(\d{1,2})(?:-|$))?)`)

// openAIGeneration returns the generation of a model of OpenAI by its BaseName: 5004 for gpt-5-4,
// oSeries for o3, and 0 for models of other vendors.
func openAIGeneration(name string) int {
	match := openAIModel.FindStringSubmatch(name)
	switch {
	case match == nil:
		return 0
	case match[1] == "":
		return oSeries
	}
	major, _ := strconv.Atoi(match[1])
	minor, _ := strconv.Atoi(match[2])
	if major == 35 { // 3.5, as Azure writes it
		major, minor = 3, 5
	}
	return major*1000 + minor
}

// The generations of OpenAI with new requirements.
const (
	oSeries = 4999
	gpt5    = 5000
	gpt54   = 5004
	gpt56   = 5006
	gpt62   = 6002
)
