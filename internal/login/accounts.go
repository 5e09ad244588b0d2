package login

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// An Account is a kind of account with a vendor. To add one, add a value.
type Account struct {
	// Name is the name that users type, and also the name of the provider. Title is the vendor's own
	// spelling.
	Name, Title string
	// Why is the reason why there is no login, or "" if there is one. Instead describes the
	// alternatives.
	Why, Instead string
	// Note is a line for the user who logs in, or "".
	Note string

	// keys is the address at which a vendor creates an API key for a user who logged in at authorize.
	// It is "" for all others.
	keys string
	// authorize is the address where the user approves the login in a browser. device issues a code for
	// another device, token issues tokens, and revoke revokes them. Each is "" if it does not exist.
	authorize, device, token, revoke string
	scope                            string
	// more contains additional parameters of authorize.
	more map[string]string
	// proof is set if the device flow requires a code verifier (RFC 7636).
	proof bool
	// codes is set if the device flow is OpenAI's own instead of RFC 8628.
	codes *codeFlow
	// exchange is the address that exchanges the token for a short-lived one. whoami is the address
	// that returns the name of the account.
	exchange, whoami string
	// domains lists the domains whose hosts may receive the tokens, besides the hosts of the addresses.
	domains []string
	// claims returns the headers that the claims of an ID token require. It may be nil.
	claims func(claims map[string]any) map[string]string
	// limits parses the limits of a subscription in the headers of a reply. It is nil if replies do not
	// contain them.
	limits func(header http.Header, now time.Time) []LimitWindow
}

const notRegistered = "the vendor has not registered agent as a client (use your own client ID with --client-id ID)"

var accounts = []Account{
	{
		Name: "openrouter", Title: "OpenRouter", authorize: "https://openrouter.ai/auth", keys: "https://openrouter.ai/api/v1/auth/keys",
	},
	{
		Name: "github-copilot", Title: "GitHub Copilot",
		Instead: "another vendor (agent login openrouter --oauth)",
		device:  "https://github.com/login/device/code", token: "https://github.com/login/oauth/access_token", scope: "read:user",
		exchange: "https://api.github.com/copilot_internal/v2/token", whoami: "https://api.github.com/user",
		domains: []string{"githubcopilot.com"}, limits: copilotLimits,
	},
	{
		Name: "chatgpt", Title: "ChatGPT",
		Instead:   "a key (agent login openai), or OpenRouter (agent login openrouter --oauth)",
		Note:      "OpenAI allows other programs to use a ChatGPT account, but has published no contract for them.",
		authorize: "https://auth.openai.com/oauth/authorize", token: "https://auth.openai.com/oauth/token", revoke: "https://auth.openai.com/oauth/revoke",
		device: "https://auth.openai.com/api/accounts/deviceauth/usercode",
		codes: &codeFlow{
			page: "https://auth.openai.com/codex/device", ask: "https://auth.openai.com/api/accounts/deviceauth/token", returns: "https://auth.openai.com/deviceauth/callback",
		},
		scope: "openid profile email offline_access", more: map[string]string{"id_token_add_organizations": "true"},
		domains: []string{"chatgpt.com"}, claims: chatGPTHeaders, limits: chatGPTLimits,
	},
	{
		Name: "xai", Title: "xAI", Instead: "a key (agent login xai)",
		device: "https://auth.x.ai/oauth2/device/code", token: "https://auth.x.ai/oauth2/token", scope: "openid profile email offline_access api:access", proof: true,
		domains: []string{"api.x.ai"},
	},
	{
		Name: "qwen", Title: "Qwen", Instead: "a key (agent login alibaba)",
		device: "https://chat.qwen.ai/api/v1/oauth2/device/code", token: "https://chat.qwen.ai/api/v1/oauth2/token", scope: "openid profile email model.completion", proof: true,
		domains: []string{"portal.qwen.ai"},
	},
	{
		Name: "kimi", Title: "Kimi", Instead: "a key (agent login moonshot)",
		device: "https://auth.kimi.com/api/oauth/device_authorization", token: "https://auth.kimi.com/api/oauth/token",
		domains: []string{"api.kimi.com"},
	},
	{Name: "claude", Title: "Claude Pro and Max", Why: "Anthropic does not allow this login in other programs", Instead: "a key (agent login anthropic), OpenRouter (agent login openrouter --oauth), --provider bedrock or --provider vertex"},
	{Name: "gemini", Title: "Gemini with a Google account", Why: "Google does not allow this login in other programs", Instead: "a key (agent login gemini), or --provider vertex"},
}

// Accounts returns all accounts, including those without a login.
func Accounts() []Account { return slices.Clone(accounts) }

// AccountByName returns the account with a name. The name anthropic means Claude, and openai means
// ChatGPT.
func AccountByName(name string) (Account, bool) {
	for other, own := range map[string]string{"anthropic": "claude", "openai": "chatgpt", "copilot": "github-copilot", "moonshot": "kimi", "alibaba": "qwen"} {
		if name == other {
			name = own
		}
	}
	i := slices.IndexFunc(accounts, func(a Account) bool { return a.Name == name })
	if i < 0 {
		return Account{}, false
	}
	return accounts[i], true
}

// CreatesAPIKey reports whether the vendor creates an API key for a user who logs in. It is then stored
// like any other key.
func (a Account) CreatesAPIKey() bool { return a.keys != "" }

// UsesDeviceCode reports whether a user can log in with a code typed on any device.
func (a Account) UsesDeviceCode() bool { return a.device != "" }

// CheckLogin returns an error if the account supports no login, or if its login needs a client id and
// clientID is "".
func (a Account) CheckLogin(clientID string) error {
	switch {
	case a.Why != "":
		return &NoLoginError{a}
	case a.keys == "" && clientID == "":
		a.Why = notRegistered
		return &NoLoginError{a}
	}
	return nil
}

// NoLoginError is returned if the account supports no login.
type NoLoginError struct{ Account Account }

func (e *NoLoginError) Error() string {
	return fmt.Sprintf("can't log in to %s: %s. Use instead: %s", e.Account.Title, e.Account.Why, e.Account.Instead)
}

// At returns the account at another host of the vendor, such as a GitHub Enterprise.
func (a Account) At(host string) (Account, error) {
	if a.exchange == "" {
		return a, fmt.Errorf("%s has only one host. Remove --host", a.Title)
	}
	if !hostName.MatchString(host) {
		return a, fmt.Errorf("%q is not a host name such as example.ghe.com", host)
	}
	for _, address := range []*string{&a.device, &a.token, &a.exchange, &a.whoami} {
		*address = strings.Replace(*address, "github.com", host, 1)
	}
	a.domains = append(slices.Clone(a.domains), host)
	return a, nil
}

// trustsHost reports whether a host may receive the tokens of the account.
func (a Account) trustsHost(host string) bool {
	return slices.ContainsFunc(a.domains, func(domain string) bool {
		return host == domain || strings.HasSuffix(host, "."+domain)
	})
}

// chatGPTHeaders returns the header with the account that a user has chosen.
func chatGPTHeaders(claims map[string]any) map[string]string {
	about, _ := claims["https://api.openai.com/auth"].(map[string]any)
	id, _ := about["chatgpt_account_id"].(string)
	if id == "" || checkKey(id) != nil {
		return nil
	}
	return map[string]string{"ChatGPT-Account-Id": id}
}
