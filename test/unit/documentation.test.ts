import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { expect, it } from 'vitest'
import { createKeysTool } from '../../infra/operations/keys/keys-tool.ts'
import { createPetsTool } from '../../infra/operations/pets/pets-tool.ts'
import { scenarios } from '../requests/requests.ts'
import { addsPets } from '../requests/scenario.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'))

const documents = globSync(['*.md', '.github/**/*.md', '{shared,functions,infra,test}/**/*.md'], { cwd: root }).sort()

const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '')

/** The anchors that GitHub gives the headings of a document. */
const anchorsOf = (text: string): readonly string[] =>
  [...withoutCode(text).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

const linksOf = (text: string): readonly string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))

/** Whether a relative link of a document leads to a file or folder, and to a heading of it where it names one. */
const leadsSomewhere = (document: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? document : join(dirname(document), path)
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || (statSync(join(root, target)).isFile() && anchorsOf(read(target)).includes(anchor))
}

/** Paths from the root of the repository, in prose, code and commands. `<name>` stands for any name. */
const pathsOf = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w./<>-])(?:shared|functions|infra|test|\.ci|\.github)\/[\w./<>-]*[\w/>]/g)].map(
    ([path]) => path,
  )

const exists = (path: string): boolean =>
  path.includes('<')
    ? globSync(path.replaceAll(/<[\w-]+>/g, '*'), { cwd: root }).length > 0
    : existsSync(join(root, path))

/** Such as `npm run keys -- list --env local`: the script and what follows it. */
const commandsOf = (text: string): readonly { readonly script: string; readonly words: string }[] =>
  [...text.matchAll(/npm (?:run (?:--silent )?([\w:]+)|(start|test)(?!\w))((?: -- [^\n`|]*)?)/g)].map(
    ([, run, short = '', words = '']) => ({ script: run ?? short, words }),
  )

const tools: readonly CommandUnknownOpts[] = [createKeysTool(), createPetsTool()]

/** What `--help` prints of a script that takes options of ours, and of all its actions. */
const helpOf = async (script: string): Promise<string> => {
  const tool = tools.find((one) => one.name().endsWith(` ${script} --`))
  if (tool !== undefined) return [tool, ...tool.commands].map((one) => one.helpInformation()).join('\n')
  const [, file = ''] = /^node infra\/launch\.cjs (\S+)$/.exec(scripts[script] ?? '') ?? []
  return (await promisify(execFile)(process.execPath, [file, '--help'], { cwd: root })).stdout
}

it.each(documents)('%s leads to files, paths and headings that exist', (document) => {
  const text = read(document)
  expect(linksOf(text).filter((link) => !leadsSomewhere(document, link))).toEqual([])
  expect(pathsOf(text).filter((path) => !exists(path))).toEqual([])
})

it('the commands of the documents are scripts of package.json, with options that they have', async () => {
  const commands = commandsOf(documents.map(read).join('\n'))
  for (const [script, named] of Map.groupBy(commands, (command) => command.script)) {
    expect(Object.keys(scripts)).toContain(script)
    const options = named.flatMap(({ words }) => words.match(/(?<= )--\w[\w-]*/g) ?? [])
    // Vitest has its own.
    if (options.length === 0 || script.startsWith('test')) continue
    const help = await helpOf(script)
    for (const option of options) expect(help, script).toMatch(new RegExp(`${option}(?![\\w-])`))
  }
})

const [, section = ''] = read('test/README.md').split('\n## What this rests on\n')
const [, , ...rows] = (section.split('\n## ')[0]?.match(/^\|.*$/gm) ?? []).map((row) =>
  row.slice(2, -2).split(/ *\| */),
)

it('"What this rests on" names requests that there are, and that add no pet, so that they can be sent to any environment', () => {
  const shown = rows.map(([, , , title = '']) => title).filter((title) => title !== '')
  const shows = scenarios.filter((scenario) => !addsPets(scenario)).map(({ title }) => title)
  expect(shown.length).toBeGreaterThan(10)
  expect(shown.filter((title) => !shows.includes(title))).toEqual([])
})

it('"What this rests on" has records in the words of their tests', () => {
  for (const [behaviour, source = ''] of rows) {
    const [, record] = /^\[recorded\]\((unit\/[\w./-]+)\)$/.exec(source) ?? []
    if (record !== undefined) expect(read(`test/${record}`)).toContain(`'${behaviour}'`)
  }
})
