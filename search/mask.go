package search

// This file defines masking: what looks like a credential is not shown where nobody asked for the exact text.

import (
	"regexp"
	"strings"
)

// A shape is what a kind of credential looks like: how it begins, and all of it. The first group stays readable.
type shape struct {
	prefix  string
	pattern *regexp.Regexp
}

const before = `(?:^|[^A-Za-z0-9_-])` // not inside a word: task-… is no sk-…

func shapeOf(prefix, rest string) shape {
	return shape{prefix, regexp.MustCompile(before + "(" + regexp.QuoteMeta(prefix) + ")" + rest)}
}

// named is a value that stands behind a name which says that it is secret: one run without spaces, of letters and digits both, so that
// prose about passwords stays as it is.
func named(name string) shape {
	return shape{name, regexp.MustCompile("(" + regexp.QuoteMeta(name) + `["']?\s*(?::=|=>|[:=])\s*["']?)` +
		`(?:[A-Za-z+/_~!@$%^*.-]+[0-9]|[0-9]+[A-Za-z+/_~!@$%^*.-])[\w+/~!@$%^*.-]{5,}=*`)}
}

var shapes = []shape{
	shapeOf("AKIA", `[A-Z0-9]{16}`),     // AWS
	shapeOf("ASIA", `[A-Z0-9]{16}`),     // AWS, for a while
	shapeOf("ghp_", `[A-Za-z0-9]{30,}`), // GitHub
	shapeOf("gho_", `[A-Za-z0-9]{30,}`),
	shapeOf("ghu_", `[A-Za-z0-9]{30,}`),
	shapeOf("ghs_", `[A-Za-z0-9]{30,}`),
	shapeOf("ghr_", `[A-Za-z0-9]{30,}`),
	shapeOf("github_pat_", `\w{22,}`),
	shapeOf("glpat-", `[\w-]{20,}`),  // GitLab
	shapeOf("sk-ant-", `[\w-]{20,}`), // Anthropic
	shapeOf("sk-", `[\w-]{20,}`),     // OpenAI and those that follow it
	shapeOf("sk_live_", `\w{16,}`),   // Stripe
	shapeOf("rk_live_", `\w{16,}`),
	shapeOf("sk_test_", `\w{16,}`),
	shapeOf("whsec_", `[A-Za-z0-9+/=]{24,}`),
	shapeOf("xoxa-", `[\w-]{10,}`), // Slack
	shapeOf("xoxb-", `[\w-]{10,}`),
	shapeOf("xoxp-", `[\w-]{10,}`),
	shapeOf("xoxr-", `[\w-]{10,}`),
	shapeOf("xoxs-", `[\w-]{10,}`),
	shapeOf("xapp-", `[\w-]{10,}`),
	shapeOf("AIza", `[\w-]{35}`), // Google
	shapeOf("ya29.", `[\w-]{20,}`),
	shapeOf("npm_", `[A-Za-z0-9]{36}`),
	shapeOf("pypi-", `[\w-]{50,}`),
	shapeOf("hf_", `[A-Za-z0-9]{30,}`),       // Hugging Face
	shapeOf("SG.", `[\w-]{16,}\.[\w-]{16,}`), // SendGrid
	shapeOf("dop_v1_", `[a-f0-9]{64}`),       // DigitalOcean
	shapeOf("AGE-SECRET-KEY-1", `[A-Z0-9]{40,}`),
	shapeOf("eyJ", `[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*`),                      // a JSON web token
	{"://", regexp.MustCompile(`(://[^\s/?#@:"'<>]*:)[^\s/?#@"'<>]{3,}@`)}, // a password in an address
	{"earer ", regexp.MustCompile(before + `([Bb]earer )[\w.~+/-]{16,}=*`)},
	named("password"), named("Password"), named("PASSWORD"), named("passwd"), named("secret"), named("Secret"), named("SECRET"),
	named("token"), named("Token"), named("TOKEN"), named("api_key"), named("api-key"), named("apiKey"), named("apikey"), named("API_KEY"),
	named("access_key"), named("accessKey"), named("ACCESS_KEY"),
	{"PRIVATE KEY", regexp.MustCompile(`()(?s)-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\z)`)},
}

// Mask replaces what looks like a credential in s by asterisks, one for each byte, so that all else stays in its place. The first
// letters of a token stay, as they say what it is.
func Mask(s string) string {
	var out []byte
	for _, sh := range shapes {
		if !strings.Contains(s, sh.prefix) {
			continue
		}
		for _, m := range sh.pattern.FindAllStringSubmatchIndex(s, -1) {
			if out == nil {
				out = []byte(s)
			}
			from := m[0]
			if m[3] > m[2] {
				from = m[3]
			}
			for i := from; i < m[1]; i++ {
				if s[i] != '\n' && s[i] != '\r' {
					out[i] = '*'
				}
			}
		}
	}
	if out == nil {
		return s
	}
	return string(out)
}
