import { pathToFileURL } from 'node:url'
import { repositoryRoot } from '../../command-line/repository-root.ts'

/** A line of a stack that leads into Node.js or a package. The CDK has shortened some such lines to `...`. */
const foreignLinePattern = /^ +(at .*(node:|node_modules)|\.\.\.)/

/** Describes an error of the app with the lines of the repository that led to it, without those of packages. */
export const describeAppError = (error: unknown): string => {
  const { stack = '' } = error instanceof Error ? error : new Error(String(error))
  const lines = stack.split('\n').filter((line) => !foreignLinePattern.test(line))
  return lines.join('\n').replaceAll(pathToFileURL(repositoryRoot).href, '').replaceAll(repositoryRoot, '').trim()
}
