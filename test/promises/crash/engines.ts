import { type Engine, engines } from '../../../infra/local/database/database.ts'
import { hasJava } from '../../unit/infra/local/java.ts'

/** The engines that run on this machine. */
export const enginesHere: readonly Engine[] = hasJava ? engines : ['dynalite']
