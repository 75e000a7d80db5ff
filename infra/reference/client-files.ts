import { readdirSync, readFileSync } from 'node:fs'
import type { SiteOptions } from './site-options.ts'

export type ClientLanguage = 'TypeScript' | 'Python'

/** A client or an example, as a text to download. */
export interface ClientFile {
  readonly language: ClientLanguage
  readonly name: string
  readonly text: string
}

const clientFolders: Readonly<Record<ClientLanguage, URL>> = {
  TypeScript: new URL('clients/typescript/', import.meta.url),
  Python: new URL('clients/python/', import.meta.url),
}

/** Base URL in the source of an example. */
const localBaseUrl = 'http://127.0.0.1:3000/v1'

/** Matches the API key in the source of an example: the demo key of a plan. */
const demoKeyPattern = /\bpet_test_\w+/g

export const apiKeyPlaceholder = '<API_KEY>'

/** Reads the clients and their examples, in both languages. */
export const readClientFiles = (options: SiteOptions): readonly ClientFile[] => [
  ...readFolder('TypeScript', options),
  ...readFolder('Python', options),
]

const readFolder = (language: ClientLanguage, options: SiteOptions): readonly ClientFile[] => {
  const names = readdirSync(clientFolders[language]).filter((name) => /\.(ts|py)$/.test(name))
  return names.map((name) => readClientFile(language, name, options))
}

/** Reads one file. An example calls the environment that offers it, and has a demo key only if the environment does. */
export const readClientFile = (language: ClientLanguage, name: string, options: SiteOptions): ClientFile => {
  const source = readFileSync(new URL(name, clientFolders[language]), 'utf8')
  return { language, name, text: adaptText(source, options) }
}

const adaptText = (source: string, { baseUrl, demoKeys }: SiteOptions): string => {
  const text = source.replaceAll(localBaseUrl, baseUrl)
  return demoKeys === undefined ? text.replaceAll(demoKeyPattern, apiKeyPlaceholder) : text
}

/**
 * Adapts an example to callers who have installed the package. They import it by its name, and need no types, so that
 * an older Node.js runs the example as JavaScript.
 */
export const adaptToPackage = (example: string): string =>
  example
    .replace('./pet-adoption-client.ts', 'pet-adoption-client')
    .replace(/\.ts`, with Node\.js 22\.18/, '.mjs`, with Node.js 20')

/** Returns the path of a file from the root of the site, such as `clients/python/example.py`. */
export const getClientPath = ({ language, name }: ClientFile): string => `clients/${language.toLowerCase()}/${name}`

/** Splits the text of an example into the parts before and after its API key. */
export const splitAtApiKey = ({ text }: ClientFile): readonly [before: string, after: string] => {
  const [apiKey = apiKeyPlaceholder] = text.match(demoKeyPattern) ?? []
  const [before = '', after = ''] = text.split(apiKey)
  return [before, after]
}
