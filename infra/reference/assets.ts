import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, extname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'
import type { SiteOptions } from './site-options.ts'

export interface SiteFile {
  /** From the root of the site, without a slash at its beginning. */
  readonly path: string
  readonly contentType: string
  /** `immutable`: the name carries the content's hash. `revalidated`: clients ask each time whether it has changed. */
  readonly caching: 'immutable' | 'revalidated'
  readonly body: string
}

const pageFolder = new URL('page/', import.meta.url)
const explorerFolder = pathToFileURL(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const clientsFolder = new URL('clients/', import.meta.url)

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A file that is named by its content, so that it may be kept for ever. */
const immutable = (name: string, body: string): SiteFile => {
  const extension = extname(name)
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12)
  return {
    path: `assets/${name.slice(0, -extension.length)}.${hash}${extension}`,
    contentType: contentTypes[extension] ?? 'text/plain; charset=utf-8',
    caching: 'immutable',
    body,
  }
}

/**
 * A script or a style of the page, with all that it imports.
 *
 * @throws Error when esbuild cannot bundle it; it has printed why
 */
export const bundled = (entry: string): SiteFile => {
  const { outputFiles } = buildSync({
    absWorkingDir: fileURLToPath(pageFolder),
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  })
  const [output] = outputFiles
  if (output === undefined) throw new Error(`esbuild gave nothing for ${entry}.`)
  return immutable(basename(entry).replace(/\.ts$/, '.js'), output.text)
}

export const icon = (): SiteFile => immutable('favicon.svg', readFileSync(new URL('favicon.svg', pageFolder), 'utf8'))

/** Swagger UI as it is published, but for the address of a source map that is not served. */
export const explorer = (): SiteFile =>
  immutable(
    'swagger-ui.js',
    readFileSync(new URL('swagger-ui-bundle.js', explorerFolder), 'utf8').replace(
      /\n\/\/# sourceMappingURL=.*\s*$/,
      '',
    ),
  )

/** Swagger UI's own, and that of the packages in its bundle, which names it thus. */
export const licences = (): readonly SiteFile[] =>
  ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'].map((name) => ({
    path: `assets/${name.replace(/^[A-Z]+$/, '$&.txt')}`,
    contentType: 'text/plain; charset=utf-8',
    caching: 'revalidated',
    body: readFileSync(new URL(name, explorerFolder), 'utf8'),
  }))

/** Clients and examples, to download, which call the environment that offers them. */
export const clients = ({ baseUrl, demoKeys }: SiteOptions): readonly SiteFile[] =>
  readdirSync(clientsFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && offered.has(extname(entry.name)))
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) => ({
      path: `clients/${relative(fileURLToPath(clientsFolder), file).replaceAll(sep, '/')}`,
      contentType: 'text/plain; charset=utf-8',
      caching: 'revalidated',
      body: readFileSync(file, 'utf8')
        .replaceAll('http://127.0.0.1:3000/v1', baseUrl)
        .replaceAll(/\bpet_test_\w+/g, (demoKey) => (demoKeys === undefined ? '<API_KEY>' : demoKey)),
    }))

/** Beside them are their README and what a tool may have left. */
const offered = new Set(['.ts', '.py', '.sh'])
