package vendor

import (
	"slices"
	"strconv"
	"strings"

	"agent/internal/pattern"
)

// Family is models that want the same, whatever vendor serves them.
type Family struct {
	// Name is one of the names below.
	Name string

	// prefixes are what the BaseName of its models begins with.
	prefixes []string
	// is finds its models where prefixes do not.
	is *pattern.Pattern
	// patches is set for models that are trained on apply_patch.
	patches bool
	wants   Wants
}

// Patches reports whether its models are trained to edit by patches.
func (f Family) Patches() bool { return f.patches }

// Other is the name of the family of all models that are of no other.
const Other = "other"

// families are tried in order. To add one, add a value.
var families = []Family{
	{Name: "gpt-oss", prefixes: []string{"gpt-oss"}, patches: true},
	{Name: "gpt", patches: true, is: pattern.New(`^(?:codex|o[34](?:-|$)|gpt-(?:[5-9]|\d\d))`)},
	{Name: "claude", prefixes: []string{"claude"}, wants: Wants{CacheMarks: true}},
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
	for _, f := range families {
		if f.holds(name) {
			return f
		}
	}
	return Family{Name: Other}
}

// FamilyNames are the names of all families, that of the others last.
func FamilyNames() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.Name)
	}
	return append(names, Other)
}

// FamilyNamed returns the family of a name, that of the others for an unknown one.
func FamilyNamed(name string) Family {
	for _, f := range families {
		if f.Name == name {
			return f
		}
	}
	return Family{Name: Other}
}

// Guess returns the family of a model at a host, and why it is that one: by its name, by
// a part of the name, as gateways and clouds put words in front, or because the vendor
// serves models of its own only.
func Guess(host, model string) (family Family, why string) {
	name := BaseName(model)
	if f := FamilyOf(name); f.Name != Other {
		return f, "by its name"
	}
	for i, r := range name {
		if !strings.ContainsRune("-_:@", r) {
			continue
		}
		if f := FamilyOf(name[i+1:]); f.Name != Other {
			return f, "by " + strconv.Quote(name[i+1:]) + " in its name"
		}
	}
	if v := at(host); v.serves != "" {
		return FamilyNamed(v.serves), "by its vendor, " + v.Title
	}
	return Family{Name: Other}, "its name is of none that is known"
}

func (f Family) holds(name string) bool {
	if f.is != nil && f.is.MatchString(name) && !strings.Contains(name, "-image") {
		return true
	}
	return slices.ContainsFunc(f.prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// BaseName brings a model's name into one form: without the router's or owner's
// prefix, lower case, dots as dashes. "anthropic/claude-opus-4.6" and
// "claude-opus-4-6" are the same.
func BaseName(model string) string {
	name := model[strings.LastIndex(model, "/")+1:]
	return strings.ReplaceAll(strings.ToLower(name), ".", "-")
}

// openAIModel finds the generation in the name of a model of OpenAI.
var openAIModel = pattern.New(`^(?:o\d|gpt-(\d+)(?:-(\d{1,2})(?:-|$))?)`)

// openAIGeneration reads the generation of a GPT from its name.
func openAIGeneration(name string) (major, minor int, ok bool) {
	match := openAIModel.FindStringSubmatch(name)
	if match == nil || match[1] == "" {
		return 0, 0, false
	}
	major, _ = strconv.Atoi(match[1])
	minor, _ = strconv.Atoi(match[2])
	return major, minor, true
}

// reasonsOnResponses reports whether a model of OpenAI reasons with tools on the
// Responses API only, or better: the o-series, and GPT from 5.4 on.
func reasonsOnResponses(name string) bool {
	major, minor, gpt := openAIGeneration(name)
	if !gpt {
		return openAIModel.MatchString(name)
	}
	return major > 5 || major == 5 && minor >= 4
}

// takesFreeForm reports whether a model is GPT-5 or later.
func takesFreeForm(name string) bool {
	major, _, gpt := openAIGeneration(name)
	return gpt && major >= 5
}

// matchesAtBreakpoints reports whether a model of OpenAI is GPT-5.6 or later.
func matchesAtBreakpoints(name string) bool {
	major, minor, ok := openAIGeneration(name)
	return ok && (major > 5 || major == 5 && minor >= 6)
}

// outputLimit is the member that bounds the reply. OpenAI's reasoning models refuse the
// old name; other servers often know only that one.
func outputLimit(name string) string {
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(name, prefix) {
			return LimitNew
		}
	}
	return LimitOld
}
