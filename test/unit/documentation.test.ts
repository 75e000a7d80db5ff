import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { describe, expect, it } from 'vitest'
import { createKeysCommand } from '../../infra/commands/keys/keys-command.ts'
import { createPetsCommand } from '../../infra/commands/pets/pets-command.ts'
import { readContract } from '../../infra/contract/contract.ts'
import { catalogue } from '../../shared/contract/generated/errors.ts'
import { runScriptInProcess } from '../fixtures/commands/commands.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const readProjectFile = (file: string): string => readFileSync(join(root, file), 'utf8')

const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(readProjectFile('package.json'))

const documentPatterns = ['*.md', '.github/**/*.md', '{shared,functions,infra,test}/**/*.md']
const documents = globSync(documentPatterns, { cwd: root }).toSorted()

const removeCodeBlocks = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '')

/** Creates the anchor that GitHub gives a heading. */
const createAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

const findAnchors = (document: string): string[] => {
  const headings = removeCodeBlocks(document).matchAll(/^#{1,6} (.*)$/gm)
  return [...headings].map(([, heading = '']) => createAnchor(heading))
}

/** Finds the links of a document that begin with no scheme such as `https:`. */
const findRelativeLinks = (document: string): string[] => {
  const links = removeCodeBlocks(document).matchAll(/\]\(([^)\s]+)\)/g)
  return [...links].map(([, link = '']) => link).filter((link) => !/^[a-z]+:/.test(link))
}

/**
 * The guide that the reference page shows. `test/unit/infra/reference/page.test.ts` follows its links in the page.
 */
const guidePath = 'infra/reference/guide.md'

/** Links to parts of the reference page that are no headings of the guide: operations and error codes. */
const pageLinks = [
  ...readContract().operations.map(({ operationId }) => `#${operationId}`),
  ...Object.keys(catalogue).map((code) => `#error-${code}`),
]

/** Whether a relative link leads to a file or folder, and to a heading of the file if the link has an anchor. */
const isValidLink = (documentPath: string, link: string): boolean => {
  if (documentPath === guidePath && pageLinks.includes(link)) return true
  const [path = '', anchor] = link.split('#')
  const linkedPath = path === '' ? documentPath : join(dirname(documentPath), path)
  if (!existsSync(join(root, linkedPath))) return false
  if (anchor === undefined) return true
  return statSync(join(root, linkedPath)).isFile() && findAnchors(readProjectFile(linkedPath)).includes(anchor)
}

/** Finds paths from the root of the repository, such as `shared/pets`, in prose, code and commands. */
const findPaths = (document: string): string[] => {
  const paths = document.matchAll(/(?<![\w./<>-])(?:shared|functions|infra|test|\.ci|\.github)\/[\w./<>-]*[\w/>]/g)
  return [...paths].map(([path]) => path)
}

/** Whether a path exists, in which `<name>` stands for any name. */
const isExistingPath = (path: string): boolean => {
  if (!path.includes('<')) return existsSync(join(root, path))
  const pattern = path.replaceAll(/<[\w-]+>/g, '*')
  return globSync(pattern, { cwd: root }).length > 0
}

interface NpmCommand {
  /** Name of the script in package.json. */
  readonly script: string
  /** The part of the line from ` -- ` on, or the empty string. */
  readonly args: string
}

/** Finds commands such as `npm run keys -- list --env local`. */
const findNpmCommands = (document: string): NpmCommand[] => {
  const matches = document.matchAll(/npm (?:run (?:--silent )?([\w:]+)|(start|test)(?!\w))((?: -- [^\n`|]*)?)/g)
  return [...matches].map(([, runScript, shortScript = '', args = '']) => ({ script: runScript ?? shortScript, args }))
}

const toolsWithActions: readonly CommandUnknownOpts[] = [createKeysCommand(), createPetsCommand()]

/** Reads the help of a program of this project, with the help of all its actions. */
const readHelp = async (script: string, file: string): Promise<string> => {
  // The name of a tool is its command line, such as `npm run keys --`.
  const tool = toolsWithActions.find((candidate) => candidate.name().endsWith(` ${script} --`))
  if (tool !== undefined) {
    return [tool, ...tool.commands].map((command) => command.helpInformation()).join('\n')
  }
  const { output } = await runScriptInProcess(file, ['--help'])
  return output
}

/** Files whose comments may name other files. */
const commentedFiles = globSync('{functions,shared,infra,test}/**/*.{ts,cjs,js,css,py,yaml}', {
  cwd: root,
  exclude: (path) => /node_modules|generated/.test(String(path)),
})

/** A line that is only a comment, in TypeScript, CSS, Python or YAML. */
const commentLine = /^\s*(?:\/\/|\/?\*|#).*$/gm

it('each file that a comment names exists', () => {
  // The name of a file in an example, which stands for any file.
  const isExample = (path: string): boolean => path.endsWith('/example.ts')

  const missing = commentedFiles.flatMap((file) => {
    const comments = (readProjectFile(file).match(commentLine) ?? []).join('\n')
    const paths = [...comments.matchAll(/(?<![\w./<])(?:shared|functions|infra|test)\/[\w./-]+\.\w+/g)]
    return paths.filter(([path]) => !isExistingPath(path) && !isExample(path)).map(([path]) => `${file}: ${path}`)
  })

  expect(missing).toEqual([])
})

it.each(globSync('.github/workflows/*.yml', { cwd: root }))('%s names only paths that exist', (workflow) => {
  expect(findPaths(readProjectFile(workflow)).filter((path) => !isExistingPath(path))).toEqual([])
})

describe.each(documents)('%s', (documentPath) => {
  const document = readProjectFile(documentPath)

  it(`${documentPath} has only links to files and headings that exist`, () => {
    expect(findRelativeLinks(document).filter((link) => !isValidLink(documentPath, link))).toEqual([])
  })

  it(`${documentPath} names only paths that exist`, () => {
    expect(findPaths(document).filter((path) => !isExistingPath(path))).toEqual([])
  })
})

/** Expects that the help of a script names all options of its commands. Packages' programs have a help of their own. */
const expectKnownOptions = async (script: string, commands: readonly NpmCommand[]): Promise<void> => {
  const [, file] = /^node infra\/launch\.cjs ((?:infra|test)\/\S+\.ts)$/.exec(scripts[script] ?? '') ?? []
  const options = commands.flatMap(({ args }) => args.match(/(?<= )--\w[\w-]*/g) ?? [])
  if (file === undefined || options.length === 0) return

  const help = await readHelp(script, file)
  for (const option of options) expect(help, script).toMatch(new RegExp(`${option}(?![\\w-])`))
}

describe('the npm commands of the documents', () => {
  const commands = findNpmCommands(documents.map(readProjectFile).join('\n'))

  it('the npm commands of the documents are scripts of package.json', () => {
    expect(commands.length).toBeGreaterThan(0)
    for (const { script } of commands) expect(Object.keys(scripts)).toContain(script)
  })

  it('the npm commands of the documents have only options that the help of their programs names', async () => {
    for (const [script, commandsOfScript] of Map.groupBy(commands, (command) => command.script)) {
      await expectKnownOptions(script, commandsOfScript)
    }
  })
})
