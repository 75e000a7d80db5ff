import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { parse } from 'yaml'
import { stringifyExactJson } from '../../shared/exact-json.ts'
import { contractFile, readContract } from '../contract/contract.ts'
import { buildNpmPackage, buildWheel, getPackagePath } from './client-packages.ts'
import { renderDocument } from './document.ts'
import { indexPath, type SiteFile, type SiteOptions } from './site-options.ts'

/**
 * Content types by the ends of file names: those that the AWS CLI guesses, so that the local environment serves the
 * same. It guesses none for a wheel, so S3 serves a wheel as `binary/octet-stream`.
 */
const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.json': 'application/json',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/x-tar',
}

const pageFolder = new URL('page/', import.meta.url)

/**
 * Builds all files of the API reference.
 *
 * @throws Error if the contract lacks a text of the page, or if the page cannot be bundled
 */
export const buildSite = (options: SiteOptions): readonly SiteFile[] => {
  const contract = readContract()
  const packages = [buildNpmPackage(), buildWheel()]
  return [
    createFile(indexPath, renderDocument(contract, options, packages)),
    createFile('openapi.json', stringifyExactJson(publishContract(options))),
    createFile('page.css', bundle("@import './page.css';", 'css')),
    createFile('page.js', bundle("import './page.ts'", 'ts')),
    createFile('favicon.svg', readFileSync(new URL('favicon.svg', pageFolder), 'utf8')),
    ...packages.map((clientPackage) => createFile(getPackagePath(clientPackage), clientPackage.body)),
  ]
}

const createFile = (path: string, body: SiteFile['body']): SiteFile => ({
  path,
  contentType: contentTypes[extname(path)] ?? 'application/octet-stream',
  body,
})

/**
 * Bundles the code of the page.
 *
 * @throws Error if esbuild cannot bundle the code, after esbuild has printed the reason
 */
const bundle = (code: string, loader: 'ts' | 'css'): string => {
  const { outputFiles } = buildSync({
    stdin: {
      contents: code,
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

interface UnpublishedContract {
  readonly info: object
  readonly servers: readonly object[]
  /** An extension of OpenAPI that only this project reads, so it is not published. */
  readonly 'x-unrouted-responses': unknown
}

/** Creates the contract that callers download, with the environment's base URL. Integers keep all their digits. */
const publishContract = ({ baseUrl, contactUrl }: SiteOptions): object => {
  const unpublished: UnpublishedContract = parse(readFileSync(contractFile, 'utf8'), { intAsBigInt: true })
  const { 'x-unrouted-responses': _, ...contract } = unpublished
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
