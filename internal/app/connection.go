package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/login"
	"agent/internal/provider"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/slash"
	"agent/internal/tokens"
	"agent/internal/toolspec"
)

// Connect returns a connection to the endpoint of the settings. ask asks the user a question; it is nil if
// there is no user.
func (p *Process) Connect(s *settings.Settings, f Folders, ask Asker) *provider.Connection {
	var remembered func(baseURL string) (model string, first bool)
	if ask != nil { // without a user, the settings must name the model
		remembered = settings.NewStore(f.Config, s.Registry()).ChosenModel
	}
	return provider.New(provider.Config{
		Remembered: remembered,
		Settings:   s, Env: p.Env, Home: p.Home, Folder: f.Config, State: f.State,
		Stored: p.Keys(f).Get, Allowed: p.underPolicy().CheckProvider,
		Now: p.Now, ModelsAge: p.ModelsAge, Ask: ask, Preload: ask != nil, UserAgent: "agent/" + p.Version,
		Caution: func(text string) { p.say(text) },
		Tokens: func(command, baseURL string, life time.Duration) login.Source {
			return p.printedKeys().Source(command, baseURL, life)
		},
		Logins: p.AccountLogins(),
	})
}

// endpoints connects a conversation to its own model server, and to servers of other profiles.
type endpoints struct {
	// own is the connection in use.
	own *provider.Connection
	at  *place
	rec *record
	// note shows the user a notice.
	note func(text string)
}

// connect finds the endpoint of a conversation. It returns notices for the user, also with an
// error.
func connect(ctx context.Context, at *place, rec *record, line *chat.Handle, ends *closers) (e *endpoints, notices []string, err error) {
	e = &endpoints{at: at, rec: rec, note: line.Notify}
	e.own = e.open(at.settings, at.options.Ask)
	ends.add(e.own.Close)
	ends.add(func() error { at.process.AccountLogins().Finish(); return nil })
	if notices, err = e.resume(ctx); err != nil {
		return nil, nil, err
	}
	find := at.options.Connect
	if find == nil {
		find = FindEndpoint
	}
	notice, closer, err := find(ctx, e.own)
	if closer != nil {
		ends.add(func() error { closer(); return nil })
	}
	if notice != "" {
		notices = append(notices, notice)
	}
	if err != nil {
		return nil, notices, err
	}
	return e, notices, nil
}

// resume selects the endpoint of a resumed session. An endpoint that the command line names takes
// precedence.
func (e *endpoints) resume(ctx context.Context) (notices []string, err error) {
	_, name := e.at.settings.Get(settings.Provider.Key())
	_, address := e.at.settings.Get(settings.BaseURL.Key())
	given := max(name, address) == settings.LayerFlags || e.at.options.KeepEndpoint && max(name, address) == settings.LayerProfile
	if recorded := e.rec.resumed.Settings[endpointUsed]; recorded != "" && !given {
		return provider.ContinueAt(ctx, e.own, recorded)
	}
	return nil, nil
}

// record records the endpoint in use at the end of a reply, so that a resumed session continues there.
func (e *endpoints) record(event chat.Event) {
	if _, replied := event.(chat.ReplyEnded); !replied {
		return
	}
	address := provider.AddressOf(e.own)
	if last := e.rec.endpoint.Load(); address != "" && (last == nil || *last != address) {
		e.rec.endpoint.Store(&address)
		e.rec.write(func(log *session.Log) error { return log.RecordSetting(endpointUsed, address) })
	}
}

// open returns a connection to the endpoint of the settings. It records the hosts that the connection
// reaches, and hides its API keys from the record.
func (e *endpoints) open(with *settings.Settings, ask Asker) *provider.Connection {
	connection := e.at.process.Connect(with, e.at.folders, ask)
	connection.OnReached(e.rec.acts.reachModel)
	connection.OnKey(func(key llm.Key) {
		e.at.process.keys.Add(key)
		e.rec.keys.hide(key)
	})
	return connection
}

// window returns the size of the model's context window, in tokens.
func (e *endpoints) window() int {
	known, _ := e.own.ContextLimit(settings.Model.Value(e.at.settings))
	return window.SizeOf(settings.ContextLimit.Value(e.at.settings), known)
}

// leastWindow is the smallest context window, in tokens, in which notes and subagents are offered.
const leastWindow = 16_384

// hasRoom reports whether the model's context window is large enough for notes and subagents.
func (e *endpoints) hasRoom() bool { return e.window() >= leastWindow }

// remember stores the model that a user chose for the endpoint in use.
func (e *endpoints) remember(model string) error {
	endpoint, err := e.own.Endpoint()
	if err != nil || endpoint.BaseURL == "" || e.at.options.Record.Folder != "" {
		return nil // no endpoint to store it for, or a scratch record; the model is used nevertheless
	}
	return e.at.profiles.ChooseModel(endpoint.BaseURL, model)
}

// other returns the model of a profile, as the profile is stored now, with a connection to it.
func (e *endpoints) other(profile string) (*chat.OtherModel, error) {
	connection, with, err := e.of(profile)
	if err != nil {
		return nil, err
	}
	closing := func() { _ = connection.Close() } // only closes idle connections
	return &chat.OtherModel{Endpoint: connection, Settings: with, Close: closing}, nil
}

// of connects to the endpoint of a profile, as the profile is stored now. It also returns the settings with
// the profile applied. The caller closes the connection.
func (e *endpoints) of(profile string) (*provider.Connection, *settings.Settings, error) {
	loaded, err := e.at.profiles.Load(profile)
	if err != nil {
		return nil, nil, err
	}
	with := e.at.settings.With(loaded)
	connection := e.open(with, nil)
	connection.OnModelsListed(func() {}, e.note)
	if _, err := connection.Provider(); err != nil {
		return nil, nil, fmt.Errorf("profile %s: %w", profile, err)
	}
	return connection, with, nil
}

// listed returns the ID of the model that a name refers to at the endpoint in use: the model with that ID.
// For a word such as sonnet, it returns the first listed ID that contains the word. It returns "" for none.
func (e *endpoints) listed(name string) string {
	all, err := e.own.Models(context.Background())
	if err != nil {
		return ""
	}
	means := func(is func(id string) bool) string {
		if i := slices.IndexFunc(all, func(m provider.ModelOffer) bool { return is(m.ID) }); i >= 0 {
			return all[i].ID
		}
		return ""
	}
	isWord := name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == ""
	return cmp.Or(means(func(id string) bool { return id == name }), means(func(id string) bool {
		return isWord && slices.Contains(strings.FieldsFunc(id, func(r rune) bool { return strings.ContainsRune("-_./:", r) }), name)
	}))
}

// offered returns the models that the endpoint in use lists.
func (e *endpoints) offered(ctx context.Context) ([]slash.Model, error) {
	listed, err := e.own.Models(ctx)
	if err != nil {
		return nil, err
	}
	models := make([]slash.Model, len(listed))
	for i, m := range listed {
		models[i] = slash.Model{ID: m.ID, ContextLimit: m.ContextLimit, Prices: e.own.Prices(m.ID), Efforts: e.own.ReasoningEfforts(m.ID), Multiplier: m.Multiplier}
	}
	return models, nil
}

// noImages returns the reason why the model in use accepts no images, or "" if it accepts them.
func (e *endpoints) noImages() string {
	return e.own.NoImagesReason(settings.Model.Value(e.at.settings))
}

// documents reports whether the model in use accepts PDF files.
func (e *endpoints) documents() bool { return e.own.AcceptsPDFs(settings.Model.Value(e.at.settings)) }

// signature returns the name of the method that signs requests to the endpoint in use, or "" for none.
func (e *endpoints) signature() string {
	endpoint, _ := e.own.Endpoint() // without an endpoint nothing is signed
	return endpoint.CredentialText()
}

// formOf returns a function that returns the edit format of the model in use.
func formOf(c *provider.Connection, with *settings.Settings) func() toolspec.EditFormat {
	return func() toolspec.EditFormat {
		family, _ := c.Family(settings.Model.Value(with))
		return EditFormatOf(with, family)
	}
}

// EditFormatOf returns the format in which models of a family edit files, such as patches. The setting edit-tool
// takes precedence over FamilyEditFormat.
func EditFormatOf(s *settings.Settings, family vendor.Family) toolspec.EditFormat {
	switch settings.EditTool.Value(s) {
	case settings.EditPatch:
		return toolspec.EditPatch
	case settings.EditReplace:
		return toolspec.EditReplace
	}
	return FamilyEditFormat(family)
}

// FamilyEditFormat returns the edit format that models of a family are trained for.
func FamilyEditFormat(family vendor.Family) toolspec.EditFormat {
	if family.Patches {
		return toolspec.EditPatch
	}
	return toolspec.EditReplace
}

func counterOf(model string) history.Counter { return tokens.NewCounter(tokens.EncodingFor(model)) }
