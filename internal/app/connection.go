package app

import (
	"fmt"
	"time"

	"agent/internal/chat"
	"agent/internal/llm/vendor"
	"agent/internal/login"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/traits"
	"agent/internal/websearch"
)

// Connect returns a connection to the endpoint that the settings name. ask puts questions to a
// person, and is nil if nobody can be asked.
func (p *Process) Connect(s *settings.Settings, f Folders, ask Asker) *provider.Connection {
	var remembered func(baseURL string) (model string, first bool)
	if ask != nil { // without a person, the settings must name the model
		remembered = settings.NewStore(f.Config, s.Registry()).ChosenModel
	}
	return provider.New(provider.Config{
		Remembered: remembered,
		Settings:   s, Env: p.Env, Home: p.Home, Folder: f.Config, State: f.State,
		Stored: p.Keys(f).Get, Allowed: p.underPolicy().Provider,
		Now: p.Now, Ask: ask, Preload: ask != nil, UserAgent: "agent/" + p.Version,
		Caution: func(text string) { p.say(text) },
		Tokens: func(command, baseURL string, life time.Duration) login.Source {
			return p.printed.of(p).Source(command, baseURL, life)
		},
		Logins: p.AccountLogins(),
	})
}

// rememberModel remembers the model that a person chose for the endpoint in use.
func (c *Conversation) rememberModel(model string) error {
	endpoint, err := c.Connection.Endpoint()
	if err != nil || endpoint.BaseURL == "" || c.options.Record.Folder != "" {
		return nil // no endpoint to remember it for, or a scratch record; the model is used nevertheless
	}
	return c.profiles.ChooseModel(endpoint.BaseURL, model)
}

// otherModel connects to the model of a profile, as the profile is now.
func (c *Conversation) otherModel(profile string) (*chat.OtherModel, error) {
	connection, with, err := c.connectTo(profile)
	if err != nil {
		return nil, err
	}
	closing := func() { _ = connection.Close() } // only closes idle connections
	return &chat.OtherModel{Endpoint: connection, Settings: with, Close: closing}, nil
}

// connectTo connects to the endpoint of a profile, as the profile is now, and returns the settings
// with it. The caller closes the connection.
func (c *Conversation) connectTo(profile string) (*provider.Connection, *settings.Settings, error) {
	loaded, err := c.profiles.Load(profile)
	if err != nil {
		return nil, nil, err
	}
	with := c.settings.With(loaded)
	connection := c.process.Connect(with, c.folders, nil)
	connection.OnLearned(func() {}, c.line.Note)
	connection.OnReached(c.acts.reachModel)
	if c.session != nil {
		connection.OnKey(c.keys.hide)
	}
	if _, err := connection.Provider(); err != nil {
		return nil, nil, fmt.Errorf("profile %s: %w", profile, err)
	}
	return connection, with, nil
}

// formOf returns a function that returns the form in which the model in use edits files.
func formOf(c *provider.Connection, with *settings.Settings) func() traits.EditFormat {
	return func() traits.EditFormat {
		family, _ := c.Family(settings.Model.Of(with))
		return FormOf(with, family)
	}
}

// FormOf returns the form in which models of a family edit files, such as patches. The setting
// edit-tool takes precedence over FormOfFamily.
func FormOf(s *settings.Settings, family vendor.Family) traits.EditFormat {
	switch settings.EditTool.Of(s) {
	case settings.EditPatch:
		return traits.Patch
	case settings.EditReplace:
		return traits.Replace
	}
	return FormOfFamily(family)
}

// FormOfFamily returns the form of edits that models of a family are trained for.
func FormOfFamily(family vendor.Family) traits.EditFormat {
	if family.Patches {
		return traits.Patch
	}
	return traits.Replace
}

// CostLimit returns an InputError if max-cost is set but cannot be enforced, because the prices
// of the model are not known. It is for runs in which nobody sees a notice.
func (c *Conversation) CostLimit() error {
	limit, limited := settings.MaxCost.Get(c.settings)
	if limited && settings.WebSearch.Of(c.settings) != websearch.Off {
		if _, known := c.search().Price(); !known {
			return InputError{Err: fmt.Errorf("max-cost %v cannot be kept: the price of a search is not known; set web-search.price, or web-search off", limit)}
		}
	}
	model := settings.Model.Of(c.settings)
	if _, known := settings.PricesOf(c.settings, c.Connection.Prices(model)); !limited || known || c.Connection.BillsNothing() {
		return nil
	}
	return InputError{Err: fmt.Errorf("max-cost %v cannot be kept: the prices of %s are not known; set price.input and price.output, or leave it out", limit, model)}
}
