import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { parse, stringify } from 'yaml'
import { stringifyExactJson } from '../../shared/exact-json.ts'
import { contractFile, readContract } from '../contract/contract.ts'
import { getClientPath, readClientFiles } from './client-files.ts'
import { renderDocument } from './document.ts'
import { getPackagePath } from './packages/client-package.ts'
import { buildNpmPackage } from './packages/npm-package.ts'
import { buildWheel } from './packages/wheel.ts'
import { indexPath, type SiteFile, type SiteOptions } from './site-options.ts'

/**
 * Types of files by the ends of their names. They are those that the AWS CLI guesses for these names. It guesses none
 * for a wheel, which S3 then serves as `binary/octet-stream`.
 */
const guessedTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.json': 'application/json',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/x-tar',
  '.whl': 'application/octet-stream',
}

/** Type of the clients, their examples and YAML, as texts that browsers show. */
export const clientType = 'text/plain; charset=utf-8'

const pageFolder = new URL('page/', import.meta.url)

/**
 * Builds all files of the API reference.
 *
 * @throws Error if the contract lacks a text of the page, or if the page cannot be bundled
 */
export const buildSite = (options: SiteOptions): readonly SiteFile[] => {
  const contract = readContract()
  const clients = readClientFiles(options)
  const packages = [buildNpmPackage(), buildWheel()]
  const publishedContract = publishContract(options)
  return [
    createFile(indexPath, renderDocument(contract, options, clients, packages)),
    createFile('openapi.json', stringifyExactJson(publishedContract)),
    // Without the anchors of the source, which many readers of YAML do not support. No line is folded. What readers of
    // YAML 1.1 would take for a date or a truth value is quoted.
    createFile(
      'openapi.yaml',
      stringify(publishedContract, { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' }),
    ),
    createFile('page.css', bundle("@import './page.css';", 'css')),
    createFile('page.js', bundle("import './page.ts'", 'ts')),
    createFile('favicon.svg', readFileSync(new URL('favicon.svg', pageFolder), 'utf8')),
    ...clients.map((client) => createFile(getClientPath(client), client.text)),
    ...packages.map((clientPackage) => createFile(getPackagePath(clientPackage), clientPackage.body)),
  ]
}

const createFile = (path: string, body: SiteFile['body']): SiteFile => ({
  path,
  contentType: guessedTypes[extname(path)] ?? clientType,
  body,
})

/** @throws Error if esbuild cannot bundle the source; esbuild has printed the reason */
const bundle = (source: string, loader: 'ts' | 'css'): string => {
  const { outputFiles } = buildSync({
    stdin: {
      contents: source,
      loader,
      resolveDir: fileURLToPath(pageFolder),
    },
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: ['es2022', 'chrome103', 'firefox104', 'safari16'],
    charset: 'utf8',
    logLevel: 'warning',
  })
  return outputFiles.map(({ text }) => text).join('')
}

interface SourceContract {
  readonly info: object
  readonly servers: readonly object[]
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** An extension, which no other tool reads. */
  readonly 'x-unrouted-responses': unknown
}

type PublicContract = Omit<SourceContract, 'x-unrouted-responses'>

/** Leaves out the components to which nothing refers: each error has an example, and only some are shown. */
const omitUnusedComponents = (contract: PublicContract): PublicContract => {
  const { securitySchemes = {}, ...sections } = contract.components
  const text = stringifyExactJson(contract)
  const usedSections = Object.entries(sections).map(([section, parts]) => {
    const isUsed = ([name]: readonly [string, unknown]) => text.includes(`"#/components/${section}/${name}"`)
    return [section, Object.fromEntries(Object.entries(parts).filter(isUsed))]
  })
  const smaller = { ...contract, components: { securitySchemes, ...Object.fromEntries(usedSections) } }
  // Something that was left out may have been all that referred to another component.
  return stringifyExactJson(smaller) === text ? contract : omitUnusedComponents(smaller)
}

/** Reads the contract, with the environment's base URL. Integers keep all their digits. */
const publishContract = ({ baseUrl, contactUrl }: SiteOptions): PublicContract => {
  const source: SourceContract = parse(readFileSync(contractFile, 'utf8'), { intAsBigInt: true })
  const { 'x-unrouted-responses': _, ...publicPart } = source
  const contract = omitUnusedComponents(publicPart)
  const contact = { name: 'API keys and questions', url: contactUrl }
  return {
    ...contract,
    info: {
      ...contract.info,
      ...(contactUrl !== undefined && { contact }),
    },
    servers: contract.servers.map((server) => ({ ...server, url: baseUrl })),
  }
}
