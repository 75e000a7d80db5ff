import { catalogue } from '../../../shared/errors/catalogue.ts'
import type { RestApi } from '../template/rest-api.ts'
import { catalogueAnswer } from './catalogue-answer.ts'
import type { Answer } from './request.ts'

/**
 * A path that is not below the stage. Known difference: AWS answers 403 `{"message":"Forbidden"}`,
 * which tells nobody that the path only lacks the base URL's own.
 */
export const answerOutsideStage = ({ stageName }: RestApi): Answer =>
  catalogueAnswer('route_not_found', `${catalogue.route_not_found.message} Every path begins with /${stageName}.`)
