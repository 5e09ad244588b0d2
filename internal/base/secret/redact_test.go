package secret_test

import (
	"strings"
	"testing"

	"agent/internal/base/secret"
)

func TestWithout(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"use sk-proj-0123456789abcdefghij now":                                           "use [key] now",
		"postgres://u:hunter22@db/x":                                                     "postgres://[key]@db/x",
		"Authorization: Bearer abcdef0123456789abcdef":                                   "Authorization: Bearer [key]",
		"a eyJhbGciOiJ.eyJzdWIiOiIx.c2lnbmF0dXJl b":                                      "a [key] b",
		"x\n-----BEGIN RSA PRIVATE KEY-----\nMII\nabc\n-----END RSA PRIVATE KEY-----\ny": "x\n[key]\ny",
		"x\n-----BEGIN PRIVATE KEY-----\nMIIabc":                                         "x\n[key]",
		`DB_PASSWORD=correcthorse`:                                                       `DB_PASSWORD=[key]`,
		`"api_key": "0a1b2c3d4e5f"`:                                                      `"api_key": [key]`,
		`password: 'correct horse battery'`:                                              `password: [key]`,
		"secret: tr0ub4dor&3":                                                            "secret: [key]",
		// Code and prose stay unchanged.
		`"key": "number of the item"`:         `"key": "number of the item"`,
		"token := parser.next()":              "token := parser.next()",
		"password: prompted each time":        "password: prompted each time",
		"keyboard = laptopKeyboard":           "keyboard = laptopKeyboard",
		"see https://example.com/a:b and x@y": "see https://example.com/a:b and x@y",
		"API_KEY=$OPENAI_KEY":                 "API_KEY=$OPENAI_KEY",
	} {
		if got := secret.Redact(text); got != want {
			t.Errorf("Without(%q) = %q, want %q", text, got, want)
		}
	}
	if long := strings.Repeat("plain words\n", 1000); secret.Redact(long) != long {
		t.Error("a text without a secret has changed")
	}
}

// everyday has common forms in which people and programs write a secret. VALUE stands for the
// secret.
var everyday = []string{
	"authorization: Basic VALUE", "Authorization: token VALUE", `"Authorization": "Bearer VALUE"`, `-H 'Authorization: Basic VALUE'`, "Authorization: Basic dXNlcjpwYXNzd29yZA==",
	"curl -u admin:VALUE https://x", "curl --user 'admin:VALUE' x", "curl -sS --proxy-user=a:VALUE x", "http -a a:VALUE x", "curl -u a:correct.horse x",
	"run --password VALUE", "run --token VALUE x", "--api-key 'VALUE'", "gpg --passphrase VALUE -d f", "java -storepass VALUE", "run --db-password \"VALUE\"",
	`{\"token\":\"VALUE\"}`, `{\"user\":\"a\", \"password\": \"VALUE\"}`, `{"password":"VALUE\\n\""}`, `{"api_key" : "VALUE"}`,
	"let token: string = 'VALUE'", `var apiKey string = "VALUE"`, `const API_KEY: &'static str = "VALUE";`, `password: str = "VALUE"`, `char db_password[] = "VALUE";`, `val secret: String? = "VALUE"`,
	`token => "VALUE"`, `'password' => 'VALUE'`, `config["password"] = "VALUE"`, "password := `VALUE`", "`password`: `VALUE`", "**Password:** VALUE", "password=VALUE;user=x", "$env:API_TOKEN = 'VALUE'",
	"define('DB_PASSWORD', 'VALUE')", `define("DB_PASSWORD", "correcthorse")`, `t.Setenv("API_KEY", "VALUE")`, `req.Header.Set("X-Auth-Token", "VALUE")`,
	"<password>VALUE</password>", "<apiKey> VALUE </apiKey>", `<property name="db.password">VALUE</property>`, `<add key="ApiKey" value="VALUE"/>`, `<server id="x"><password type="a">VALUE</password></server>`,
	"machine x login y password VALUE", "machine x login y password abcdef12", "the password is VALUE", "use token VALUE now", "Passphrase was VALUE",
	"password:\n  VALUE\n", "api_key: |\n  VALUE", "- name: DB_PASSWORD\n  value: VALUE", `{"name":"API_KEY","value":"VALUE"}`, `{\"name\":\"API_KEY\",\"value\":\"VALUE\"}`,
	"https://VALUEVALUE@github.com/a/b", "https://x:VALUE@github.com/a/b", "https://hooks.slack.com/services/T0ABCDEF1/B0ABCDEF1/VALUE", "https://discord.com/api/webhooks/123456789012345678/VALUE", "https://api.telegram.org/bot123456789:VALUE/getMe",
	"sshpass -p VALUE ssh x", "mysql -h x -u root -pVALUE db", "redis-cli -h x -a VALUE ping", "docker login -u a -p VALUE x", "openssl enc -pass pass:VALUE", "az login --username a -p VALUE",
	"ya29.VALUEVALUE", "hvs.VALUEVALUE", "whsec_VALUEVALUE", "lin_api_VALUEVALUE", "figd_VALUEVALUE", "glc_eyJVALUEVALUE", "shpat_VALUEVALUE", "ATATT3VALUEVALUE", "AGE-SECRET-KEY-1VALUEVALUE", "dckr_pat_VALUEVALUE",
}

// Secrets in common forms are redacted: alone, in a sentence, and in the middle of a file.
func TestEverydayForms(t *testing.T) {
	t.Parallel()
	for _, form := range everyday {
		for _, value := range []string{"Zk4vQm82LtRw9X", "hunter2Zq9xK7vLw3", "tr0ub4dor3xx"} {
			text := strings.ReplaceAll(form, "VALUE", value)
			for _, frame := range []string{"%s", "first line\n%s\nlast line", "then run %s and see"} {
				if strings.HasPrefix(frame, "then") && strings.Contains(form, "\n") {
					continue
				}
				framed := strings.Replace(frame, "%s", text, 1)
				got := secret.Redact(framed)
				if strings.Contains(got, value) || strings.Contains(got, "correct") || strings.Contains(got, "dXNl") || strings.Contains(got, "abcdef12") || !strings.Contains(got, secret.Placeholder) {
					t.Errorf("%q stays: %q", framed, got)
				}
				if again := secret.Redact(got); again != got {
					t.Errorf("%q becomes %q", got, again)
				}
			}
		}
	}
}

// Ordinary lines stay unchanged.
func TestOrdinaryLines(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"<key>CFBundleShortVersionString1</key>", "<Key>photos/2026/img_0001.jpg</Key>", `<input type="password" placeholder="Your password">`, `<label for="password1">Password</label>`,
		`os.Getenv("API_KEY", "OTHER_KEY_2")`, `{"password", "Enter your password"}`, "token parseBase64String returns", "the password is base64url encoded", "password argon2id parameters", "a token of type1 is",
		"docker run -u 1000:1000 image", "curl -u $USER:$PASS x", "curl -u admin: x", "curl https://example.com:8080/path1", "login -p", "mysql -u root -p db1", "mkdir -p tokens1/a", "grep -a password1 file",
		"run --key server1.pem", "run --token-file ./tokens/file1", "run --password-stdin < file1", "run --password $PASS1234", "run --token ${{ secrets.TOKEN1 }}", "--secret /run/secrets/db1",
		"password: \n", "tokens:\n  - name1:\n", "password: ${DB_PASSWORD_1}", `"password": "<password1>"`, "secrets:\n  DB_PASS_1:\n", "type Token string\n\nconst x1 = 12345678",
		"https://pkg.go.dev/golang.org/x/text@v0.43.0", "git clone ssh://git@github.com/a/b1", "https://example.com/@user1234567890abcdef", "if password == expected1 {", `value="12345678a"`, `name: width value: 12345678a`,
	} {
		if got := secret.Redact(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
