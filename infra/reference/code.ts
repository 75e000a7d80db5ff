/** The code of the page: requests to operations, installations of the clients, and examples that use a client. */
import type { ContractOperation } from '../contract/contract.ts'
import type { ContractContent, ContractParameter } from '../contract/openapi.ts'
import {
  adaptToPackage,
  type ClientLanguage,
  type ClientPackage,
  getPackagePath,
  readClientCode,
} from './client-packages.ts'
import { type Html, html, renderCode } from './html.ts'
import type { SiteOptions } from './site-options.ts'

/** Code that sends a request, in each language. */
type RequestCode = Readonly<Record<'curl' | 'TypeScript' | 'Python', Html>>

/**
 * Renders code in several languages, of which the reader unfolds one. The first one is unfolded.
 *
 * @param subject name of what the code shows, such as `listPets`
 */
export const renderCodeChoice = (subject: string, codeByLanguage: Readonly<Record<string, Html | string>>): Html => {
  const blocks = Object.entries(codeByLanguage).map(
    (
      [language, code],
      index,
    ) => html`<details name="${subject}" data-language="${language}"${index === 0 ? html` open` : undefined}>
          <summary>${language}</summary>${renderCode(`${language} code for ${subject}`, code)}</details>`,
  )
  return html`<div class="choice">${blocks}</div>`
}

type NameAndValue = readonly [name: string, value: string]

/** A request that code sends. `headers` lacks `Authorization`. */
interface ExampleRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly NameAndValue[]
  /** JSON on one line. */
  readonly body: string | undefined
}

/**
 * Writes the code for an operation. Its values are the examples of the contract.
 *
 * @param query query parameters in addition to those that the operation requires
 * @throws Error if the contract lacks an example of a value that the code has
 */
export const writeOperationCode = (
  { method, path, parameters, body }: ContractOperation,
  { baseUrl, demoKeys = [] }: SiteOptions,
  query: Readonly<Record<string, string>> = {},
): RequestCode => {
  let filledPath = path
  const search = new URLSearchParams(query)
  const headers: NameAndValue[] = body === undefined ? [] : [['Content-Type', 'application/json']]
  for (const parameter of parameters) {
    const { name, in: location, required = false } = parameter
    if (location === 'path') filledPath = filledPath.replace(`{${name}}`, encodeURIComponent(readExample(parameter)))
    else if (location === 'header') headers.push([name, readExample(parameter)])
    else if (required) search.set(name, readExample(parameter))
  }
  const request: ExampleRequest = {
    method,
    url: `${baseUrl}${filledPath}${search.size === 0 ? '' : `?${search}`}`,
    headers,
    body: body && JSON.stringify(readBodyExample(body)),
  }
  const demoKey = demoKeys[0]?.apiKey
  return {
    curl: writeCurl(request, demoKey),
    TypeScript: writeTypeScript(request, demoKey),
    Python: writePython(request, demoKey),
  }
}

const readExample = ({ name, example }: ContractParameter): string => {
  if (example === undefined) throw new Error(`The contract must have an example of the parameter ${name}.`)
  return String(example)
}

/** Returns the first example of a body. @throws Error if the contract has none */
export const readBodyExample = ({ examples = {} }: ContractContent): unknown => {
  const [example] = Object.values(examples)
  if (example === undefined) throw new Error('The contract must have an example of each request body.')
  return example.value
}

/** Marks a demo key. The page's script replaces it with the demo key that the reader chooses. */
export const markExampleKey = (apiKey: string): Html => html`<span class="example-key">${apiKey}</span>`

const writeCurl = ({ method, url, headers, body }: ExampleRequest, demoKey: string | undefined): Html => {
  const key = demoKey === undefined ? '$PET_API_KEY' : markExampleKey(demoKey)
  const methodOption = method === 'GET' ? '' : ` -X ${method}`
  const otherHeaders = headers.map(([name, value]) => html` \\\n  -H ${quoteForShell(`${name}: ${value}`)}`)
  const data = body === undefined ? undefined : html` \\\n  -d ${quoteForShell(body)}`
  return html`curl -i${methodOption} "${url}" \\\n  -H "Authorization: Bearer ${key}"${otherHeaders}${data}`
}

/** Quotes a text for a shell. A single quote in it ends the quoted text, stands escaped, and begins another one. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const writeTypeScript = ({ method, url, headers, body }: ExampleRequest, demoKey: string | undefined): Html => {
  // The `$` stands apart, because here too it would begin an interpolation.
  const key = demoKey === undefined ? html`$${'{process.env.PET_API_KEY}'}` : markExampleKey(demoKey)
  const otherHeaders = headers.map(([name, value]) => html`\n    '${name}': ${JSON.stringify(value)},`)
  const methodLine = method === 'GET' ? undefined : html`\n  method: '${method}',`
  const bodyLine = body === undefined ? undefined : html`\n  body: JSON.stringify(${body}),`
  return html`const response = await fetch('${url}', {${methodLine}
  headers: {
    Authorization: \`Bearer ${key}\`,${otherHeaders}
  },${bodyLine}
})
console.log(response.status, await response.text())`
}

const writePython = ({ method, url, headers, body }: ExampleRequest, demoKey: string | undefined): Html => {
  // The key ends the string of the header, which the template below begins.
  const key = demoKey === undefined ? html`" + os.environ["PET_API_KEY"]` : html`${markExampleKey(demoKey)}"`
  const osImport = demoKey === undefined ? 'import os\n' : ''
  const otherHeaders = headers.map(([name, value]) => html`\n        "${name}": ${JSON.stringify(value)},`)
  const bodyLine = body === undefined ? undefined : html`\n    data=${quoteForPython(body)}.encode(),`
  return html`${osImport}from urllib.request import Request, urlopen

request = Request(
    "${url}",
    method="${method}",
    headers={
        "Authorization": "Bearer ${key},${otherHeaders}
    },${bodyLine}
)
with urlopen(request) as response:
    print(response.status, response.read().decode())`
}

const quoteForPython = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** Placeholder for the URL of this site, which the page's script inserts. */
const siteUrlPlaceholder = '<URL of the API reference>'

/** Base URL in the code of an example. */
const localBaseUrl = 'http://127.0.0.1:3000/v1'

/** Pattern of the API key in the code of an example: the demo key of a plan, in quotation marks. */
const demoKeyPattern = /(["'])pet_test_\w+["']/

const installers: Readonly<Record<ClientLanguage, string>> = {
  TypeScript: 'npm install',
  Python: 'pip install',
}

/** Renders the command that installs each package. */
export const renderInstallations = (packages: readonly ClientPackage[]): Html =>
  html`${packages.map((clientPackage) => {
    const { language, name } = clientPackage
    const path = getPackagePath(clientPackage)
    const command = html`${installers[language]} <span class="site-url">${siteUrlPlaceholder}</span>/${path}`
    return html`<p>${language}: <a href="/${path}" download>${name}</a></p>
    ${renderCode(`command for ${language}`, command)}`
  })}`

/**
 * Renders an example in both languages, for callers who have installed the package.
 *
 * @param files names of the example's files, by language
 */
export const renderExamples = (
  subject: string,
  files: Readonly<Record<ClientLanguage, string>>,
  options: SiteOptions,
): Html =>
  renderCodeChoice(subject, {
    TypeScript: renderExample('TypeScript', files.TypeScript, options),
    Python: renderExample('Python', files.Python, options),
  })

/** Renders an example that calls the environment, with the demo key of the environment if there is one. */
const renderExample = (language: ClientLanguage, file: string, { baseUrl, demoKeys = [] }: SiteOptions): Html => {
  const example = adaptToPackage(readClientCode(language, file)).replace(localBaseUrl, baseUrl).trimEnd()
  const [demoKey] = demoKeys
  if (demoKey === undefined) return html`${readKeyFromEnvironment(language, example)}`

  // The pattern captures a quotation mark, which so stands between the two parts.
  const [beforeKey = '', quote = '', afterKey = ''] = example.split(demoKeyPattern)
  return html`${beforeKey}${quote}${markExampleKey(demoKey.apiKey)}${quote}${afterKey}`
}

/** Makes an example read the API key from the variable that all code of the page reads. */
const readKeyFromEnvironment = (language: ClientLanguage, example: string): string => {
  if (language === 'TypeScript') return example.replace(demoKeyPattern, 'process.env.PET_API_KEY')
  return example
    .replace(demoKeyPattern, 'os.environ["PET_API_KEY"]')
    .replace('from pet_adoption', 'import os\n\nfrom pet_adoption')
}
