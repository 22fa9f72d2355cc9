package format_test

import (
	"strings"
	"testing"

	"docket/ingest/format"

	"golang.org/x/text/encoding/htmlindex"
)

// Texts of the kind people keep, in the encodings they were written in.
var encoded = []struct{ name, encoding, text string }{
	{"Russian letter", "windows-1251", "Уважаемые коллеги! Напоминаем, что собрание состоится в четверг в десять часов утра. Просим подготовить отчёты."},
	{"Russian mail", "koi8-r", "Привет! Посылаю тебе план проекта, о котором мы говорили вчера. Посмотри, пожалуйста, и напиши, что думаешь."},
	{"Polish minutes", "iso-8859-2", "Protokół z posiedzenia zarządu. Uchwała została przyjęta większością głosów, a następne spotkanie odbędzie się w środę."},
	{"Czech note", "windows-1250", "Poznámka k rozpočtu: částka byla schválena na schůzi, žádné další změny nejsou možné. Příští termín je v září."},
	{"Greek note", "windows-1253", "Η απόφαση ελήφθη ομόφωνα από το συμβούλιο και θα ισχύσει από τον επόμενο μήνα. Παρακαλούμε ενημερώστε τους άλλους."},
	{"Hebrew note", "windows-1255", "ההחלטה התקבלה פה אחד על ידי המועצה ותיכנס לתוקף בחודש הבא. נא לעדכן את כל חברי הצוות ולשמור את המסמך."},
	{"German letter", "windows-1252", "Sehr geehrte Damen und Herren, für die Übersendung der Unterlagen danken wir. Die Prüfung läuft – wir melden uns “bald”."},
	{"French note", "windows-1252", "Décision prise à l’unanimité : le marché est attribué à la société proposée. Le délai d’exécution est fixé à trois mois."},
	{"Japanese memo", "shift_jis", "会議の決定事項をお知らせします。予算は承認されました。次回の会議は来月の第一月曜日に行います。"},
	{"Japanese page", "euc-jp", "この文書は計画の概要を説明するものです。詳しい内容については担当者にお問い合わせください。"},
	{"Japanese mail", "iso-2022-jp", "お世話になっております。資料をお送りします。ご確認ください。"},
	{"Chinese report", "gb18030", "关于项目进展的报告：目前各项工作按计划进行，预算已经批准，下一次会议将于下月初举行，请各位做好准备。"},
	{"Chinese notice", "big5", "各位同仁：下週一上午十點召開會議，請準時出席並準備相關資料。會議紀錄將於會後公佈在網站上。"},
	{"Korean notice", "euc-kr", "안녕하세요. 다음 주 월요일 오전 열 시에 회의가 있습니다. 자료를 준비해 주시기 바랍니다. 감사합니다."},
	{"Thai note", "windows-874", "ที่ประชุมมีมติเห็นชอบงบประมาณประจำปี และกำหนดประชุมครั้งต่อไปในเดือนหน้า ขอให้ทุกฝ่ายเตรียมเอกสารให้พร้อม"},
	{"Turkish letter", "windows-1254", "Sayın yetkili, toplantı kararları ektedir. Bütçe onaylanmıştır; değişiklik için başvuru süresi şubat ayında sona erecektir."},
}

func TestEncodings(t *testing.T) {
	for _, tt := range encoded {
		t.Run(tt.name, func(t *testing.T) {
			enc, err := htmlindex.Get(tt.encoding)
			if err != nil {
				t.Fatal(err)
			}
			data, err := enc.NewEncoder().Bytes([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			doc, err := format.Parse("note.txt", data)
			if err != nil {
				t.Fatal(err)
			}
			if doc.Text != tt.text || !doc.Guessed {
				t.Errorf("read as %s (guessed: %v): %q", doc.Encoding, doc.Guessed, doc.Text)
			}
		})
	}
}

// The first letter outside ASCII may stand far down.
func TestEncodingAfterLongASCII(t *testing.T) {
	enc, err := htmlindex.Get("windows-1251")
	if err != nil {
		t.Fatal(err)
	}
	tail, err := enc.NewEncoder().String(strings.Repeat(encoded[0].text+"\n", 20))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := format.Parse("a.txt", []byte(strings.Repeat("plain words, line after line\n", 10_000)+tail))
	if err != nil {
		t.Fatal(err)
	}
	if doc.Encoding != "windows-1251" || !strings.HasSuffix(doc.Text, encoded[0].text+"\n") {
		t.Errorf("read as %s: %q", doc.Encoding, doc.Text[len(doc.Text)-60:])
	}
}

// Whatever the bytes, there is text, and it is valid.
func FuzzEncoding(f *testing.F) {
	f.Add([]byte("\x93caf\xe9\x94 \x97 na\xefve"))
	f.Add([]byte("\x1b$B\x25\x46\x1b(B \xff\xfe"))
	f.Add([]byte("\x81\x40\x82\xa0\xa4\xa2\x8f\xb0\xa1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := format.Parse("a.txt", data)
		if err != nil {
			return // binary
		}
		checked(t, doc)
	})
}
