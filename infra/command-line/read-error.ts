/**
 * Describes why a file cannot be read, and what to change.
 *
 * @param toCheck what a person should check if there is no such file
 */
export const describeReadError = (file: string, error: unknown, toCheck = 'the path'): string => {
  const code = error instanceof Error && 'code' in error ? error.code : error
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `${file} does not exist. Check ${toCheck}.`
    case 'EISDIR':
      return `${file} is a folder. Name a file in it.`
    case 'EACCES':
    case 'EPERM':
      return `This user may not read ${file}. Change its permissions.`
    default:
      return `${file} cannot be read (${code}).`
  }
}
