import type { ContractOperation } from '../contract/contract.ts'
import type { ContractContent, ContractParameter } from '../contract/openapi.ts'
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
 * @throws Error if the contract lacks an example
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
    const example = readExample(parameter)
    if (location === 'path') filledPath = filledPath.replace(`{${name}}`, encodeURIComponent(example))
    else if (location === 'header') headers.push([name, example])
    else if (required) search.set(name, example)
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
