import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { operatorCommands, runScriptInProcess } from '../fixtures/commands/commands.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const readProjectFile = (file: string): string => readFileSync(join(root, file), 'utf8')

const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(readProjectFile('package.json'))

const documentPatterns = ['*.md', '.github/**/*.md', '{shared,functions,infra,test}/**/*.md']
// `npm run mutate` installs packages below `test`.
const documents = globSync(documentPatterns, { cwd: root, exclude: ['**/node_modules'] }).toSorted()

/**
 * Finds paths from the root of the repository, such as `shared/pets`, in prose, code and commands. A path does not
 * begin inside a longer one, such as `../shared`, and does not end with the full stop of its sentence.
 */
const findPaths = (text: string): string[] => {
  const paths = text.matchAll(/(?<![\w./<>-])(?:shared|functions|infra|test|\.ci|\.github)\/[\w./<>-]*[\w/>]/g)
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
  /** The part of the command from ` -- ` on, or the empty string. A backtick, a pipe or the end of the line ends it. */
  readonly args: string
}

/** Finds commands such as `npm run keys -- list --env local`. */
const findNpmCommands = (document: string): NpmCommand[] => {
  const matches = document.matchAll(/npm (?:run (?:--silent )?([\w:]+)|(start|test)(?!\w))((?: -- [^\n`|]*)?)/g)
  return [...matches].map(([, runScript, shortScript = '', args = '']) => ({ script: runScript ?? shortScript, args }))
}

/** Reads the help of a program of this project and, if it is an operators' command, the help of its subcommands. */
const readHelp = async (script: string, file: string): Promise<string> => {
  const command = operatorCommands[script]?.()
  if (command !== undefined) return [command, ...command.commands].map((part) => part.helpInformation()).join('\n')
  const { output } = await runScriptInProcess(file, ['--help'])
  return output
}

/** Files whose comments may name other files. */
const commentedFiles = globSync('{functions,shared,infra,test}/**/*.{ts,cjs,js,css,py,yaml}', {
  cwd: root,
  exclude: (path) => /node_modules|generated/.test(String(path)),
})

/** A line that is only a comment, in TypeScript, CSS, Python or YAML. */
const commentLinePattern = /^\s*(?:\/\/|\/?\*|#).*$/gm

it('each file that a comment names exists', () => {
  // The name of a file in an example, which stands for any file.
  const isExample = (path: string): boolean => path.endsWith('/example.ts')

  const missing = commentedFiles.flatMap((file) => {
    const comments = (readProjectFile(file).match(commentLinePattern) ?? []).join('\n')
    // Only paths with an extension, because comments also have other words with slashes.
    const paths = [...comments.matchAll(/(?<![\w./<])(?:shared|functions|infra|test)\/[\w./-]+\.\w+/g)]
    return paths.filter(([path]) => !isExistingPath(path) && !isExample(path)).map(([path]) => `${file}: ${path}`)
  })

  expect(missing).toEqual([])
})

const workflows = globSync('.github/workflows/*.yml', { cwd: root })

// This test follows no links. `.ci/run` does so, with lychee, which is no package of npm.
it.each([...documents, ...workflows])('%s names only paths that exist', (file) => {
  expect(findPaths(readProjectFile(file)).filter((path) => !isExistingPath(path))).toEqual([])
})

/**
 * Expects that the help of a script names all options of its commands. Scripts that run the program of a package, such
 * as vitest, are left out: that package names its options.
 */
const expectKnownOptions = async (script: string, commands: readonly NpmCommand[]): Promise<void> => {
  // The script of an operators' command ends with its name: `node infra/launch.cjs infra/commands/run.ts keys`.
  const [, file] = /^node infra\/launch\.cjs ((?:infra|test)\/\S+\.ts)(?: \w+)?$/.exec(scripts[script] ?? '') ?? []
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
