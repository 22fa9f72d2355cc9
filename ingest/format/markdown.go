package format

func markdown(name string, doc *Document)   { plainText(name, doc) }
func separated(name string, doc *Document)  { plainText(name, doc) }
func sourceCode(name string, doc *Document) { plainText(name, doc) }
