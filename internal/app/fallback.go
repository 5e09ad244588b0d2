package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/llm"
	"agent/internal/login"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/tools"
)

// fallback switches to the profiles of the setting fallback while the model of a conversation fails. Every
// turn begins with the first model again.
type fallback struct {
	// settings and own are the settings and the connection of the conversation. models opens other
	// connections.
	settings *settings.Settings
	own      *provider.Connection
	models   *endpoints
	// notify shows the user which model continues, or why none does.
	notify func(text string)
	// refresh makes the interface show the status again.
	refresh func()

	// first is the endpoint that the turn began with. left holds the profiles that have not been tried.
	// tried is set once the turn has used a fallback.
	first provider.Endpoint
	left  []string
	tried bool
	// declined holds the endpoints to which the user has refused to send this session.
	declined []string
}

// watch restores the first model at the end of a turn.
func (f *fallback) watch(e chat.Event) {
	if _, ends := e.(chat.TurnEnded); !ends {
		return
	}
	f.tried, f.left = false, nil
	if f.settings.PopProfile() {
		f.refresh()
	}
}

// next applies the next profile that can answer in place of a model that failed. It returns false if there
// is none.
func (f *fallback) next(ctx context.Context, failed chat.FailedRequest) bool {
	failure, is := errors.AsType[*llm.Error](failed.Err)
	if !is || !slices.Contains([]llm.ErrorKind{llm.Unavailable, llm.RateLimit, llm.Auth}, failure.Kind) {
		return false
	}
	before := f.own.ModelAndEndpoint()
	f.settings.PopProfile()
	if !f.tried {
		f.tried = true
		f.first, _ = f.own.Endpoint() // without an endpoint no request could have failed
		f.left = settings.SplitItems(settings.Fallback.Value(f.settings))
		if name := settings.OnLimit.Value(f.settings); errors.Is(failure, login.ErrLimit) && name != settings.StopAtLimit {
			f.left = append([]string{name}, f.left...)
		}
	}
	for len(f.left) > 0 {
		name := f.left[0]
		f.left = f.left[1:]
		if err := f.use(ctx, name, before, failed.Inquire); err != nil {
			f.notify(humanize.Brief(fmt.Sprintf("Can't continue with the profile %s: %v", name, err)))
			continue
		}
		why := *failure
		why.Hint = ""
		f.tell(&why, name, failed.Tokens)
		return true
	}
	return false
}

// use applies a profile to the settings until the end of the turn. It returns an error if the conversation
// may not continue at the profile's endpoint, or if the profile names the failed model.
func (f *fallback) use(ctx context.Context, name, failed string, inquire chat.Inquirer) error {
	profile, err := f.models.at.profiles.Load(name)
	if err != nil {
		return err
	}
	to := f.models.open(f.settings.With(profile), nil)
	defer func() { _ = to.Close() }() // the HTTP server has no connection to close
	place, may, err := to.CanTakeOver(f.first)
	switch {
	case err != nil:
		return err
	case to.ModelAndEndpoint() == failed:
		return errors.New("it uses the model that failed")
	case !may:
		if err := f.ask(ctx, name, place, inquire); err != nil {
			return err
		}
	}
	f.settings.PushProfile(profile)
	return nil
}

// ask asks the user whether the conversation may continue at an endpoint of another company. It returns an
// error if it may not.
func (f *fallback) ask(ctx context.Context, name, place string, inquire chat.Inquirer) error {
	const always = "yes, always"
	refused := fmt.Errorf("the conversation may not go to %s. To allow it, run: agent profile allow %s", place, name)
	if inquire == nil || slices.Contains(f.declined, place) {
		return refused
	}
	answers, answered := inquire(ctx, "fallback", []tools.Inquiry{{
		Question: fmt.Sprintf("%s does not answer. Send this conversation to %s (profile %s)?", f.first.Host(), place, name),
		Options: []tools.Option{
			{Label: always, Description: "also in later sessions"},
			{Label: "no", Description: "the turn ends here"},
		},
		YesNo: true,
	}})
	if !answered || answers[0].String() != always {
		f.declined = append(f.declined, place)
		return refused
	}
	return f.own.AllowTakeOver(place)
}

// tell shows the next model and the cost of reading the conversation again.
func (f *fallback) tell(why error, name string, size int) {
	model := settings.Model.Value(f.settings)
	endpoint, _ := f.own.Endpoint() // use has found the endpoint
	cost := ""
	if prices, known := settings.PricesOf(f.settings, f.own.Prices(model)); known && !prices.Free && prices.Input > 0 {
		cost = ", about " + humanize.Dollars(prices.Cost(size, 0, 0, 0))
	}
	f.notify(humanize.Brief(fmt.Sprintf("%v. This turn continues with the profile %s (%s at %s). Its cache is empty: it reads %s tokens again%s",
		why, name, model, endpoint.Host(), humanize.Tokens(size), cost)))
}

// AllowFallback allows conversations with other companies to continue at the endpoint of a profile. It
// returns the host of the endpoint, and sends no request.
func (p *Process) AllowFallback(f Folders, s *settings.Settings, profile string) (host string, err error) {
	loaded, err := settings.NewStore(f.Config, s.Registry()).Load(profile)
	if err != nil {
		return "", err
	}
	connection := p.Connect(s.With(loaded), f, nil)
	endpoint, err := connection.Endpoint()
	if err == nil && endpoint.BaseURL == "" {
		err = provider.ErrNoEndpoint
	}
	if err != nil {
		return "", err
	}
	return endpoint.KeyHost(), connection.AllowTakeOver(endpoint.KeyHost())
}
