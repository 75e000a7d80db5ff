import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { parse } from 'yaml'
import { stringifyExactJson } from '../../shared/exact-json.ts'
import { type Contract, contractFile, readContract } from '../contract/contract.ts'
import { renderDocument } from './document.ts'
import { indexPath, type SiteFile, type SiteOptions } from './site-options.ts'

/**
 * All files of the API reference.
 *
 * @throws Error when the contract lacks a text of the page, or the page cannot be bundled
 */
export const buildSite = (options: SiteOptions): readonly SiteFile[] => {
  const contract = readContract()
  const clients = clientFiles(options)
  return [
    file(indexPath, renderDocument(contract, options, clients)),
    file('openapi.json', publishedContract(options)),
    file('page.css', bundled("@import './page.css';", 'css')),
    file('page.js', bundled(pageScript(contract), 'ts')),
    file('favicon.svg', readFileSync(new URL('favicon.svg', pageFolder), 'utf8')),
    ...clients,
  ]
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const file = (path: string, body: string): SiteFile => ({
  path,
  contentType: contentTypes[extname(path)] ?? 'text/plain; charset=utf-8',
  body,
})

const pageFolder = new URL('page/', import.meta.url)

/** The page's script, with the validators of the service for the operations that have a panel. */
const pageScript = ({ operations }: Contract): string => {
  const panels = operations.filter(({ hasPanel, isReserved }) => hasPanel && !isReserved)
  const imports = panels.map(
    ({ operationId, name }) => `import { ${operationId} } from '../../../shared/contract/generated/${name}.ts'`,
  )
  const names = panels.map(({ operationId }) => operationId).join(', ')
  return [...imports, "import { startPage } from './page.ts'", `startPage({ ${names} })`].join('\n')
}

/** @throws Error when esbuild cannot bundle it; it has printed why */
const bundled = (contents: string, loader: 'ts' | 'css'): string => {
  const { outputFiles } = buildSync({
    stdin: { contents, loader, resolveDir: fileURLToPath(pageFolder) },
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'warning',
  })
  return outputFiles.map(({ text }) => text).join('')
}

/** The contract as an environment publishes it, with its own base URL. Integers keep all their digits. */
const publishedContract = ({ baseUrl, contactUrl }: SiteOptions): string => {
  const document: { info: object; servers: readonly object[] } = parse(readFileSync(contractFile, 'utf8'), {
    intAsBigInt: true,
    merge: true,
  })
  const contact = contactUrl === undefined ? {} : { contact: { name: 'API keys and questions', url: contactUrl } }
  return stringifyExactJson({
    ...document,
    info: { ...document.info, ...contact },
    servers: document.servers.map((server) => ({ ...server, url: baseUrl })),
  })
}

/** Clients and examples, to download, which call the environment that offers them. */
const clientFiles = ({ baseUrl, demoKeys }: SiteOptions): readonly SiteFile[] =>
  ['typescript', 'python'].flatMap((language) => {
    const folder = new URL(`clients/${language}/`, import.meta.url)
    const names = readdirSync(folder).filter((name) => /\.(ts|py)$/.test(name))
    return names.map((name) =>
      file(
        `clients/${language}/${name}`,
        readFileSync(new URL(name, folder), 'utf8')
          .replaceAll('http://127.0.0.1:3000/v1', baseUrl)
          .replaceAll(/\bpet_test_\w+/g, (demoKey) => (demoKeys === undefined ? '<API_KEY>' : demoKey)),
      ),
    )
  })
