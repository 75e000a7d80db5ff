import { resolve } from 'node:path'

/**
 * Resolves a path of the command line to an absolute path. A relative path begins in the folder where the operator
 * called npm: npm runs the command in the folder of the project, and passes the operator's folder as INIT_CWD.
 *
 * @example
 * command.option('--out <file>', 'the file to write', resolveOperatorPath)
 */
export const resolveOperatorPath = (path: string): string => resolve(process.env['INIT_CWD'] ?? '', path)
