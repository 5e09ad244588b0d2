package settings

import (
	"slices"
	"strings"

	"agent/internal/base/suggest"
)

// Group is a category with its settings, in display order.
type Group struct {
	Category Category
	Settings []AnySetting
}

// All returns every setting in display order. To add a setting, declare it in the file of its
// category and list it here. Density phases declare their own settings.
func All() []Group {
	return []Group{
		{CategoryModel, []AnySetting{
			Model, Provider, BaseURL, AuthKeyfile, AuthCommand, AuthCommandLife, Login, LoginClientID, Fallback, OnLimit,
			CloudProject, CloudRegion, CloudResource, ContextLimit, MaxOutputTokens,
			Temperature, TopP, ReasoningEffort, Headers, ExtraBody, ReasoningReplay, API, ThinkingDisplay,
			PromptCache, CacheWarming, ModelFamily, EditTool, Tools, EditTolerance, CacheKind, CacheLife, ReasoningBound,
			RequestTimeout, IdleTimeout, MaxRetries,
		}},
		{CategoryBehavior, slices.Concat([]AnySetting{
			CompressionStrategy, CompressionThreshold, CompressionPreserveThreshold,
			CompressionPace, CompressionBoundaries, CompressionTopPreserveThreshold, CompressionProfile,
		}, density(), []AnySetting{
			ApprovalMode, MaxTurns,
			Theme, Keys, Links, Columns, NoticeDensity, NoticeCache, Estimate, Notify, NotifyCommand, StatusLineCommand,
			OutputStyle, InstructionFiles, SkillPaths, SkillBudget, CommitTrailer,
			// Add a setting of behavior here.
		})},
		{CategoryTools, []AnySetting{
			ShellTimeoutSeconds, ToolOutputMaxTokens, FoundMaxTokens, ReadOutlineTokens, FileReadMaxLines,
			CheckCommand, RecallSessions, Notes, NotesBudget, LanguageServers, WebFetchPrivate, MCPTools, MCPResultMaxTokens,
			Agents, AgentsParallel, AgentsMaxTurns, AgentsTimeout, AgentsMaxCost, AgentsMaxTokens, AgentsPerTurn,
			AgentsModel, AgentsExploreModel, AgentsResultMaxTokens,
			WebSearch, WebSearchURL, WebSearchCommand, WebSearchPrice, WebSearchMaxTokens, WebSearchMaxPerTurn,
			Sandbox, Shell, SandboxAllowWrite, SandboxDenyRead, SandboxAllowRead, SandboxAllowNetwork, SandboxAllowEnv,
		}},
		{CategoryPrice, []AnySetting{PriceInput, PriceOutput, PriceCacheRead, PriceCacheWrite, PriceTiers, MaxCost, ModelsURL}},
	}
}

// Choices maps keys to the words of Enums that other packages define, such as the approval modes of
// the turn loop and the themes of the screen (REQ-HD-004.4).
type Choices map[string][]string

// Registry holds every setting. It is immutable.
type Registry struct {
	specs  []*Spec
	byName map[string]*Spec
}

// NewRegistry returns a registry of the given settings.
func NewRegistry(groups []Group, choices Choices) *Registry {
	r := &Registry{byName: make(map[string]*Spec)}
	for _, group := range groups {
		for _, d := range group.Settings {
			spec := *d.declaration()
			spec.Category = group.Category
			if words, ok := choices[spec.Key]; ok {
				spec.kind = Enum(words...).untyped()
			}
			r.specs = append(r.specs, &spec)
			for _, name := range append([]string{spec.Key}, spec.Aliases...) {
				r.byName[name] = &spec
			}
		}
	}
	return r
}

// Specs returns all settings in display order.
func (r *Registry) Specs() []*Spec { return slices.Clone(r.specs) }

// Keys returns the keys of all settings in display order.
func (r *Registry) Keys() []string {
	keys := make([]string, len(r.specs))
	for i, spec := range r.specs {
		keys[i] = spec.Key
	}
	return keys
}

// named returns the setting with a key or an alias. It compares them in the spelling of files.
func (r *Registry) named(name string) (*Spec, bool) {
	if spec, ok := r.byName[name]; ok {
		return spec, true
	}
	spec, err := r.header(name)
	return spec, spec != nil && err == nil
}

// Lookup returns the setting with a key or an alias, ignoring case (D-38). The error suggests the
// keys that begin with name, or the most similar key.
func (r *Registry) Lookup(name string) (*Spec, error) {
	if spec, ok := r.named(name); ok {
		return spec, nil
	}
	names := r.Keys()
	for _, spec := range r.specs {
		names = append(names, spec.Aliases...)
	}
	if i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) }); i >= 0 {
		return r.byName[names[i]], nil
	}
	if _, err := r.header(name); err != nil {
		return nil, err
	}
	if name == "" {
		return nil, &Error{Problem: "a setting needs a name. To list all, type /settings or run: agent settings"}
	}
	if isKeyName(name) {
		return nil, &Error{Problem: keyIsNoSetting}
	}
	if below := r.below(name); len(below) > 0 {
		return nil, &Error{Problem: quote(name) + " is a group of settings: " + strings.Join(below, ", ")}
	}
	return nil, &Error{Problem: "unknown setting " + quote(name) + suggest.Question(name, names) + " (to list all, type /settings or run: agent settings)"}
}

// below returns the keys that begin with name and a dot.
func (r *Registry) below(name string) []string {
	prefix := strings.ToLower(strings.TrimSuffix(name, ".")) + "."
	return slices.DeleteFunc(r.Keys(), func(key string) bool {
		return !strings.HasPrefix(strings.ToLower(key), prefix)
	})
}

// keyIsNoSetting is the error for an attempt to set the API key. As a setting, it would get into
// profiles and logs.
const keyIsNoSetting = "API keys are not settings: put the key in a file and set auth-keyfile to its path, or use OPENAI_API_KEY"

// isKeyName reports whether users may expect the API key under a name.
func isKeyName(name string) bool {
	plain := strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(name))
	return slices.Contains([]string{"key", "apikey", "authkey", "token", "openaiapikey"}, plain)
}
