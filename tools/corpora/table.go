package main

// A corpus is a set of conversations from one public repository.
type corpus struct {
	name       string
	repository string // owner/name
	commit     string
	licence    string // of the data
	language   string
	kind       string // service, agent, meeting or coding
	// held marks a held-back set: it is not used for tuning, and its texts are not read.
	held bool
	// read passes the conversations of the snapshot to emit. A corpus without turns of its own
	// returns an error with the reason.
	read func(s *snapshot, emit func(*conversation)) error
}

// Task descriptions by kind.
var tasks = map[string]string{
	"service": "Go on serving the customer",
	"agent":   "Go on with what the user asked for",
	"meeting": "Write the minutes of the meeting",
	"coding":  "Go on with the change to the code",
}

const (
	star      = "RasaHQ/STAR"
	starAt    = "3058975092cdd09798e4a3a9e4ae135755824545"
	dialogues = "stanford-oval/dialogues"
	dialogsAt = "a2d317843b2c92338112bc56fc279b73a01fb66f"
	mixed     = "sumanbanerjee1/Code-Mixed-Dialog"
	mixedAt   = "9df1d4dc800548a883f8bc1a9ce4116c77aebc02"
	woz2      = "nmrksic/neural-belief-tracker"
	woz2At    = "63b5933d867fd9dacc2bfadcc5f6be3a3ef8ee77"
	m2m       = "google-research-datasets/simulated-dialogue"
	m2mAt     = "9c5752ffa60d00c58efe52ce2ec6a29f2c2bb47b"
	elitr     = "ELITR/automin-2021"
	elitrAt   = "5376dc121702fa4610de0c42436096e06ce2a790"
	multidogo = "awslabs/multi-domain-goal-oriented-dialogues-dataset"
	dogoAt    = "baa30639c4b271f394b81443c842193407cdf26d"
)

// corpora are the sets, in the order of kinds. README.md lists them with their sizes.
var corpora = []corpus{
	{"star", star, starAt, "MIT", "en", "service", false, readStar(true)},
	{"star-speech", star, starAt, "MIT", "en", "service", false, readStar(false)},
	{"kvret", "jasonwu0731/GLMP", "8758ef689aefb8841baf07cb5a70acf7e4b2decd", "none stated; research", "en", "service", false, readKvret("data/KVR/kvret_dev_public.json", "data/KVR/kvret_test_public.json")},
	{"indosmd", "dehanalkautsar/IndoToD", "236b81c24403ff77c38ebd5408e79184b632a766", "Apache-2.0", "id", "service", false, readKvret("IndoSMD/IndoSMD_split/IndoSMD_train.json", "IndoSMD/IndoSMD_split/IndoSMD_dev.json", "IndoSMD/IndoSMD_split/IndoSMD_test.json")},
	{"sim-m", m2m, m2mAt, "CC-BY-4.0", "en", "service", false, readSimulated("sim-M")},
	{"sim-r", m2m, m2mAt, "CC-BY-4.0", "en", "service", false, readSimulated("sim-R")},
	{"camrest", "WING-NUS/sequicity", "e3ae9590c6a7553fc22c85f5ca1d7e6c9324ad45", "CC-BY-4.0", "en", "service", false, readCamRest},
	{"mixed-hi", mixed, mixedAt, "Apache-2.0", "hi-Latn", "service", false, readMixed("hindi")},
	{"mixed-ta", mixed, mixedAt, "Apache-2.0", "ta-Latn", "service", false, readMixed("tamil")},
	{"risawoz-en", dialogues, dialogsAt, "BSD-3-Clause (data CC-BY-4.0)", "en", "service", false, readRisawoz("en")},
	{"risawoz-zh", dialogues, dialogsAt, "BSD-3-Clause (data CC-BY-4.0)", "zh", "service", false, readRisawoz("zh")},
	{"risawoz-fr", dialogues, dialogsAt, "BSD-3-Clause (data CC-BY-4.0)", "fr", "service", false, readRisawoz("fr")},
	{"risawoz-hi", dialogues, dialogsAt, "BSD-3-Clause (data CC-BY-4.0)", "hi", "service", false, readRisawoz("hi")},
	{"risawoz-ko", dialogues, dialogsAt, "BSD-3-Clause (data CC-BY-4.0)", "ko", "service", false, readRisawoz("ko")},
	{"asdc", "megagonlabs/asdc", "f37d6575c73602adcb8ae3687520726793baa672", "CC-BY-4.0", "ja", "service", false, readASDC},
	{"multidogo-airline", multidogo, dogoAt, "CDLA-Permissive-1.0", "en", "service", true, readMultidogo("airline")},
	{"multidogo-fastfood", multidogo, dogoAt, "CDLA-Permissive-1.0", "en", "service", true, readMultidogo("fastfood")},
	{"multidogo-finance", multidogo, dogoAt, "CDLA-Permissive-1.0", "en", "service", true, readMultidogo("finance")},
	{"multidogo-insurance", multidogo, dogoAt, "CDLA-Permissive-1.0", "en", "service", true, readMultidogo("insurance")},
	{"multidogo-media", multidogo, dogoAt, "CDLA-Permissive-1.0", "en", "service", true, readMultidogo("media")},
	{"multidogo-software", multidogo, dogoAt, "CDLA-Permissive-1.0", "en", "service", true, readMultidogo("software")},
	{"woz2-de", woz2, woz2At, "Apache-2.0", "de", "service", true, readWoz2("_de")},
	{"woz2-it", woz2, woz2At, "Apache-2.0", "it", "service", true, readWoz2("_it")},
	{"hdrs", "skmalviya/HDRS-Corpus", "5a9add7386013765bdc56fcb4dfefffaee1133af", "MIT", "hi", "service", true, readHdrs},
	{"kdconv", "thu-coai/KdConv", "653db76432de09a004ba708a68f8bbd5500e6bec", "Apache-2.0", "zh", "service", true, readKdConv},

	{"api-bank", "AlibabaResearch/DAMO-ConvAI", "483554eae102996f5ec1f4feab4e78ef29c2a394", "Apache-2.0", "en", "agent", false, readAPIBank},
	{"functionchat", "kakao/FunctionChat-Bench", "cb32af378a2b94ee84fc4d3cb50302377c7ff679", "Apache-2.0", "ko", "agent", true, readFunctionChat},
	{"tooltalk", "microsoft/ToolTalk", "e05f4ce6132c80ed33392b81535b077d56ab28fd", "MIT", "en", "agent", true, readToolTalk},
	{"toolbench", "OpenBMB/ToolBench", "d56fdd89faf8c91fa135090b212bb9057ee5cfc2", "Apache-2.0", "en", "agent", false, readToolBench},

	{"tc39", "tc39/notes", "d99353f99c748f97cfa980b1c9b03e7ade3ef930", "none stated; Ecma notes", "en", "meeting", false, readTC39},
	{"bitcoin", "bitcointranscripts/bitcointranscripts", "52ccbbe25d18a1db9403526a8b8b3b0be9ff6959", "MIT", "en", "meeting", false, readBitcoin},
	{"bundestag", "Jadaju/Korpus-Plenarprotokolle", "3ed32a5f3f47503b65563f3816a0ffce2adfa927", "Apache-2.0", "de", "meeting", false, readBundestag},
	{"parlamint-tr", "coltekin/ParlaMint-TR", "7829ed6285e701004ccbbafc4ef3831c60b130f6", "CC-BY-4.0", "tr", "meeting", false, readParlaMint("ParlaMint-TR", ".xml")},
	{"parlamint-gl", "ILG-USC/ParlaMint-ES-GA", "b28c122bb7b6f1d7e96492967fb75768a3a4de27", "CC-BY-4.0", "gl", "meeting", true, readParlaMint("TEI_XML_TXT", ".xml")},
	{"ecma402", "tc39/ecma402", "b76fb1759ec12c36600851b5881a863458b1f0c0", "Ecma text copyright", "en", "meeting", true, readTC39},
	{"wasm", "WebAssembly/meetings", "ab60c7ce1baf5930837c31f2d3d5288a09f632c2", "none stated; W3C notes", "en", "meeting", true, readWasm},
	{"elitr", elitr, elitrAt, "as Data-Usage-AutoMin.pdf says", "en", "meeting", true, readElitr},
	{"europarl", elitr, elitrAt, "free (Europarl)", "en", "meeting", true, readEuroparl},

	{"specstory", "specstoryai/getspecstory", "210d6095c58e26c49ca8093789c491ebe8f28203", "Apache-2.0", "en", "coding", false, readSpecStory},
	{"specstory-office", "specstoryai/tnyOffice", "8fa1980e313a0d46d42e7e5361d21f6566b2591f", "none stated", "en", "coding", true, readSpecStory},
	{"specstory-gold", "maloneype/yposfgold-community-platform", "743ef69cfcd602dcf4253f61075b29b4a682e8b4", "none stated", "en", "coding", true, readSpecStory},
	{"specstory-bsc", "hpm27/agente-bsc-rag", "e1ac36698c40e34932aa7681e393462d57a28ac1", "MIT", "pt", "coding", true, readSpecStory},
}
